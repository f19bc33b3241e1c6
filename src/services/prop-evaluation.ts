import { leftFor } from "#domain/chains.ts";
import { type Choices, readChoices, staticChoices } from "#domain/choices.ts";
import type { ComponentDefinition, PropDefinition } from "#domain/definition.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import type { Id, OwnerId } from "#domain/ids.ts";
import { checkUnfinished, type PropsCheckResult, secretProps, type Values } from "#domain/props.ts";
import { redactorOf } from "#domain/redaction.ts";
import { tokenRenewal } from "#sandbox/accounts.ts";
import { CallHost } from "#sandbox/call-host.ts";
import { grantStores, withoutStoreIds } from "#sandbox/data-stores.ts";
import { PlatformRequests } from "#sandbox/platform-requests.ts";
import { redactFailure, redactorOfCall } from "#sandbox/redact-outcome.ts";
import type { Instance, PropQuery, PropRequest, UserCode } from "#sandbox/user-code.ts";

import { ownerFor } from "./access.ts";
import { checkAccounts, withCredentials } from "./accounts.ts";
import { type Component, componentFor } from "./components.ts";
import type { AppContext, Context } from "./context.ts";
import { checkStores } from "./data-stores.ts";
import {
  DEADLINE_EXCEEDED,
  definitionIn,
  EVALUATION_DEADLINE_MS,
  evaluationOf,
} from "./evaluation.ts";
import { builtComponent } from "./registry-imports/built.ts";
import { metered, planToRun } from "./usage.ts";

export type { Choices } from "#domain/choices.ts";
export type { PropDefinition } from "#domain/definition.ts";

/** The current configuration and its owner. */
export type PartialConfiguration = {
  configuredProps: Values;
  /** The last returned props beyond those that the component declares. */
  dynamicProps?: PropDefinition[] | undefined;
  workspace?: Id<"workspace"> | undefined;
};

/** The component, its owner, and the current values. */
export type PropContext = {
  owner: OwnerId;
  component: Pick<Component, "definition" | "bundleHash">;
  values: Values;
  /** The props that `additionalProps` added before. */
  previous: readonly PropDefinition[];
  /** The source to change, if there is one. */
  source?: Pick<Instance, "sourceId" | "endpoints">;
  /** Maximum time of the component, if it differs from that of evaluations. */
  deadlineMs?: number;
};

/** The arguments of `options`. */
export type OptionsInput = {
  page?: number | undefined;
  prevContext?: unknown;
  query?: string | undefined;
};

/**
 * The choices of a prop (docs/contract.md: Async options), one page of them if the component has pages. Refuses a prop
 * without choices; an error of its `options` is in the refusal.
 */
export async function loadOptions(
  ctx: Context,
  keyOrId: string,
  { propName, ...input }: { propName: string } & OptionsInput & PartialConfiguration,
): Promise<Choices> {
  const target = await propContext(ctx, keyOrId, input);
  const written = writtenChoices(target, propName);
  if (written) return written;
  const { page, prevContext, query } = input;
  const text = await evaluateOptions(ctx, target, { prop: propName, page, prevContext, query });
  if (text === "null") throw noSuchProp("is not a prop of the component");
  const choices = readChoices(text);
  if (!choices) throw unreadable(propName);
  return choices;
}

/** The choices of a prop that need no evaluation. An unknown prop may still be an added one. */
function writtenChoices(
  { component, previous }: PropContext,
  propName: string,
): Choices | undefined {
  const { props, dynamic } = component.definition;
  const prop = [...props, ...previous].find(({ name }) => name === propName);
  if (!prop && !dynamic) throw noSuchProp("is not a prop of the component");
  const written = prop && staticChoices(prop);
  if (prop && !written && prop["remoteOptions"] !== true) throw noSuchProp("has no options");
  return written;
}

/**
 * All props of a component for the current values (docs/contract.md: Additional props). An error of the component is in
 * the refusal.
 */
export async function reloadProps(
  ctx: Context,
  keyOrId: string,
  input: PartialConfiguration,
): Promise<PropDefinition[]> {
  const target = await propContext(ctx, keyOrId, input);
  const { definition } = target.component;
  return definition.dynamic ? (await evaluateProps(ctx, target)).props : definition.props;
}

async function propContext(
  ctx: Context,
  keyOrId: string,
  { configuredProps, dynamicProps = [], workspace }: PartialConfiguration,
): Promise<PropContext> {
  const owner = await ownerFor(ctx, workspace);
  const component = await builtComponent(ctx, await componentFor(ctx, keyOrId));
  const declared = component.definition.props;
  const names = new Set(declared.map(({ name }) => name));
  const previous = dynamicProps.filter(({ name }) => !names.has(name));
  const values = accepted(checkUnfinished([...declared, ...previous], configuredProps));
  return { owner, component, values, previous };
}

/** The values, or a refusal that names every broken rule. */
export function accepted(result: PropsCheckResult): Values {
  if (!result.ok) throw invalidInput(result.issues);
  return result.values;
}

function noSuchProp(message: string): RequestError {
  return invalidInput([{ path: "prop_name", message }]);
}

function unreadable(prop: string): RequestError {
  const message = `options of ${prop} failed: it returned no valid options`;
  return new RequestError("invalid_configuration", message);
}

/**
 * The definition of a component with the props that `additionalProps` adds for these values; with final values also
 * including everything else that depends on them.
 */
export async function evaluateProps(
  ctx: AppContext,
  target: PropContext,
  kind: "props" | "configuration" = "props",
): Promise<ComponentDefinition> {
  const text = await evaluated(ctx, target, { query: { kind }, name: "additionalProps" });
  return definitionIn(text, "component.js");
}

/** The result of a prop's `options`, JSON text; "null" if the component has no such prop. */
export function evaluateOptions(
  ctx: AppContext,
  target: PropContext,
  { prop, ...input }: { prop: string } & OptionsInput,
): Promise<string> {
  const query: PropQuery = { kind: "options", prop, input: JSON.stringify(input) };
  return evaluated(ctx, target, { query, name: `options of ${prop}` });
}

/** The JSON result of a query. `name`: the name of the query in the error if it fails. */
async function evaluated(
  ctx: AppContext,
  target: PropContext,
  { query, name: what }: { query: PropQuery; name: string },
): Promise<string> {
  const { owner, component, values, previous } = target;
  const props = [...component.definition.props, ...previous];
  await checkStores(ctx, owner, { props, values });
  await checkAccounts(ctx, owner, { props, values });
  const seen = await withCredentials(ctx, owner, { props, values });
  const request: PropRequest = {
    ...query,
    instance: instanceOf(target, withoutStoreIds(props, seen)),
    deadlineMs: target.deadlineMs ?? EVALUATION_DEADLINE_MS,
    previous: JSON.stringify(previous),
    origins: [ctx.origin, ...ctx.ownOrigins],
  };
  const code = await codeOf(ctx, target);
  const stores = grantStores(ctx.dataStores, props, values);
  const cause = { hops: 0, depth: 0, budget: leftFor() };
  const requests = new PlatformRequests(cause, {
    egress: (of) => ctx.egress(owner, of),
    renewToken: tokenRenewal(ctx.accounts, owner, { props, values }),
  });
  const evaluating = code.evaluateProps(request, stores, new CallHost(requests));
  const evaluation = await metered(ctx, owner, evaluationOf(evaluating)).finally(() =>
    requests.end(),
  );
  if (evaluation.ok) return evaluation.value;
  const redact = redactorOfCall(redactorOf(seen, secretProps(props)), requests);
  const { name, message } = redactFailure(evaluation.failure, redact);
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
  return { sourceId, props: JSON.stringify(values), endpoints, db: {}, additional: "" };
}

async function codeOf(ctx: AppContext, { owner, component }: PropContext): Promise<UserCode> {
  const [bundle, plan] = await Promise.all([
    ctx.codeStore.bundle(component.bundleHash),
    planToRun(ctx, owner),
  ]);
  if (!bundle) throw new Error(`Bundle ${component.bundleHash} is not in the code store`);
  return ctx.sandbox(owner, plan, bundle);
}
