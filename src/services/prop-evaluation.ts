import { leftFor } from "#domain/chains.ts";
import type { ComponentDefinition, PropDefinition } from "#domain/definition.ts";
import { RequestError } from "#domain/errors.ts";
import type { OwnerId } from "#domain/ids.ts";
import type { Values } from "#domain/props.ts";
import { grantStores, withoutStoreIds } from "#sandbox/data-stores.ts";
import type { PropQuery, Instance, PropEvaluation, UserCode } from "#sandbox/user-code.ts";

import { checkAccounts, withCredentials } from "./accounts.ts";
import type { Component } from "./components.ts";
import type { AppContext } from "./context.ts";
import { checkStores } from "./data-stores.ts";
import { answerOf, DEADLINE_EXCEEDED, definitionIn, EVALUATION_DEADLINE_MS } from "./evaluation.ts";
import { metered, planToRun } from "./usage.ts";

/** Which component, for whom, and what is configured so far. */
export type PropContext = {
  owner: OwnerId;
  component: Pick<Component, "definition" | "bundleHash">;
  values: Values;
  /** The props that `additionalProps` added before. */
  previous: readonly PropDefinition[];
  /** The source that is being changed, where there is one already. */
  source?: Pick<Instance, "sourceId" | "endpoints">;
  /** How long the component may take, where that is not what evaluation may take. */
  deadlineMs?: number;
};

/** What `options` is called with. */
export type OptionsInput = {
  page?: number | undefined;
  prevContext?: unknown;
  query?: string | undefined;
};

/**
 * The definition of a component with the props that `additionalProps` adds for these values; once the values are what
 * it is configured with, also with all else that depends on them.
 */
export async function evaluateProps(
  ctx: AppContext,
  asked: PropContext,
  kind: "props" | "configuration" = "props",
): Promise<ComponentDefinition> {
  const text = await evaluated(ctx, asked, { kind }, "additionalProps");
  return definitionIn(text, "component.js");
}

/** What `options` of a prop gives, JSON text; "null" where the component has no such prop. */
export function evaluateOptions(
  ctx: AppContext,
  asked: PropContext,
  { prop, ...input }: { prop: string } & OptionsInput,
): Promise<string> {
  const propQuery: PropQuery = { kind: "options", prop, input: JSON.stringify(input) };
  return evaluated(ctx, asked, propQuery, `options of ${prop}`);
}

async function evaluated(
  ctx: AppContext,
  asked: PropContext,
  propQuery: PropQuery,
  what: string,
): Promise<string> {
  const { owner, component, values, previous } = asked;
  const props = [...component.definition.props, ...previous];
  await checkStores(ctx, owner, { props, values });
  await checkAccounts(ctx, owner, { props, values });
  const seen = await withCredentials(ctx, owner, { props, values });
  const evaluation: PropEvaluation = {
    ...propQuery,
    instance: instanceOf(asked, withoutStoreIds(props, seen)),
    deadlineMs: asked.deadlineMs ?? EVALUATION_DEADLINE_MS,
    previous: JSON.stringify(previous),
    chain: { origins: [ctx.origin, ...ctx.ownOrigins], hops: 0, budget: leftFor() },
  };
  const code = await codeOf(ctx, asked);
  const answer = answerOf(code.ask(evaluation, grantStores(ctx.dataStores, props, values)));
  const said = await metered(ctx, owner, answer);
  if (said.ok) return said.answer;
  const { name, message } = said.failure;
  if (name === DEADLINE_EXCEEDED)
    throw new RequestError("upstream_timeout", `${what} did not finish within its time`, {
      error: { name, message },
    });
  throw new RequestError("invalid_configuration", `${what} failed: ${message || name}`, {
    error: { name, message },
  });
}

function instanceOf({ source }: PropContext, values: Values): Instance {
  const { sourceId = "", endpoints = {} } = source ?? {};
  return { sourceId, runId: "", props: JSON.stringify(values), endpoints, db: {}, additional: "" };
}

async function codeOf(ctx: AppContext, { owner, component }: PropContext): Promise<UserCode> {
  const [bundle, plan] = await Promise.all([
    ctx.codeStore.bundle(component.bundleHash),
    planToRun(ctx, owner),
  ]);
  if (!bundle) throw new Error(`Bundle ${component.bundleHash} is not in the code store`);
  return ctx.sandbox(owner, plan, bundle);
}
