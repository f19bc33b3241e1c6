import type { PendingChange } from "#db/schema/tables.ts";
import { claimForUpdate, notePending, releaseSource } from "#db/source-changes.ts";
import type { Source } from "#db/sources.ts";
import type { PropDefinition } from "#domain/definition.ts";
import { endpointUrls } from "#domain/endpoints.ts";
import { invalidInput, notFound, RequestError } from "#domain/errors.ts";
import type { Id } from "#domain/ids.ts";
import { secretProps, type Values } from "#domain/props.ts";
import type { Deployment } from "#durable-objects/source/contract.ts";
import { openSecrets, placeOfSource } from "#vault/secret-props.ts";

import { planFor } from "../access.ts";
import type { Component } from "../components.ts";
import type { AppContext, Context } from "../context.ts";
import { labelsOf, provideScript } from "../scripts.ts";
import { chosenComponent, type ComponentChoice } from "./choice.ts";
import { configure, type Configuration } from "./configuration.ts";
import {
  checkShards,
  deploymentOf,
  endpointsFor,
  hookFailed,
  pendingChange,
} from "./deployment.ts";
import { getSource } from "./read.ts";
import { currentOf, settle } from "./settle.ts";

/** Maximum time of a change; after it the change counts as ended. */
export const CHANGE_LASTS_SECONDS = 600;

export type SourceChange = ComponentChoice & {
  name?: string | undefined;
  /** Absent: true (docs/contract.md: Choosing a component). */
  active?: boolean | undefined;
  configuredProps?: Values | undefined;
  /** Absent: unchanged. */
  shards?: number | undefined;
};

type Claimed = { source: Source; component: Component; at: number };

/**
 * Change the code, name, values or activity of a source. One change at a time; a failed one changes nothing. The row
 * has the change as soon as the source's object reports it, even if the caller has disconnected.
 */
export async function updateSource(
  ctx: Context,
  id: Id<"source">,
  change: SourceChange,
): Promise<Source> {
  const at = ctx.now();
  const staleBefore = at - CHANGE_LASTS_SECONDS;
  const claimed = await claimForUpdate(ctx.db, ctx.actor.id, { id, at, staleBefore });
  if (claimed.kind === "missing") throw notFound("source", id);
  if (claimed.kind === "busy") throw busy(id);
  if (claimed.kind === "shared") throw new RequestError("conflict", SHARED_RULE);
  if (claimed.source.pending) {
    // The claim of an interrupted change: its outcome must be known before the next begins.
    await settle(ctx, claimed.source);
    return updateSource(ctx, id, change);
  }
  const deployment = await prepareOrRelease(ctx, { ...claimed, at }, change);

  // If this call is interrupted, the outcome is unknown: the claim stays, and the sweep resolves it.
  const result = await ctx.sources(id).update(deployment, change.active ?? true, ctx.requestId);
  if (!result.ok) {
    await releaseSource(ctx.db, id, at);
    throw hookFailed(result);
  }
  if (result.isBehind) throw new RequestError("overloaded", BEHIND);
  return getSource(ctx, id);
}

const BEHIND =
  "The change is stored, but a shard of the source could not be reached and runs the former version: it is retried every 10 s; send the change again to wait for it";

const SHARED_RULE =
  "The source was deployed for agents, who share it as it is: it can be deleted, but not changed";

/** A refusal because another change of the source is in progress. */
export function busy(id: Id<"source">): RequestError {
  return new RequestError("conflict", `Another change of ${id} is under way; try again after it`);
}

async function prepareOrRelease(
  ctx: Context,
  claimed: Claimed,
  change: SourceChange,
): Promise<Deployment> {
  const { source, at } = claimed;
  try {
    const { deployment, pending } = await prepare(ctx, claimed, change);
    await notePending(ctx.db, { id: source.id, at }, pending);
    return deployment;
  } catch (error) {
    await releaseSource(ctx.db, source.id, at);
    throw error;
  }
}

async function prepare(
  ctx: Context,
  { source, component: old }: Claimed,
  change: SourceChange,
): Promise<{ deployment: Deployment; pending: PendingChange }> {
  const { id, ownerId: owner } = source;
  const chosen = await chosenComponent(ctx, owner, change);
  const component = chosen?.component ?? old;
  const configuration = await configurationAfter(ctx, { source, component }, change, !chosen);
  const { shards = source.shards } = change;
  checkShards(component, configuration, shards);
  const endpoints = await endpointsFor(ctx, source, configuration.props);
  const target = { id, ownerId: owner, endpoints };
  await provideScript(ctx, owner, { ...component, labels: labelsOf(component) });
  const plan = await planFor(ctx, owner);
  const pending = pendingChange(chosen ?? { component: old, isNew: false }, {
    name: change.name ?? source.name,
    userId: ctx.actor.id,
  });
  const { name, change: noted } = pending;
  const planned = { name, component, configuration, plan, change: noted, shards };
  return { deployment: await deploymentOf(ctx, target, planned), pending };
}

/**
 * The configuration of a source after a change. Without new code or values it is unchanged, and the component is not
 * evaluated: a source can be deactivated while the service that it polls is down.
 */
async function configurationAfter(
  ctx: Context,
  { source, component }: { source: Source; component: Component },
  { configuredProps: given }: SourceChange,
  isSameCode: boolean,
): Promise<Configuration> {
  const { id, ownerId: owner } = source;
  const { values: stored, secrets, previous, props } = await configuredBefore(ctx, id);
  if (isSameCode && given === undefined && props) return { props, values: stored };
  const place = { sourceId: id, endpoints: endpointUrls(ctx.origin, source.endpoints) };
  const configuration = await configure(
    ctx,
    { owner, component, previous, source: place },
    { stored, given: given ?? {} },
  );
  refuseExposure(configuration, secrets, given ?? {});
  return configuration;
}

/** All values of a source, secrets included, and the props added for them: only its object has those. */
async function configuredBefore(
  ctx: Pick<AppContext, "sources" | "vault">,
  id: Id<"source">,
): Promise<{
  values: Values;
  secrets: Values;
  previous: PropDefinition[];
  props?: PropDefinition[];
}> {
  const deployment = (await currentOf(ctx, id))?.deployment;
  if (!deployment) return { values: {}, secrets: {}, previous: [] };
  const { configuredProps, sealedProps = {}, props, additional = [] } = deployment;
  const secrets = await openSecrets(ctx.vault, placeOfSource(deployment), sealedProps);
  return {
    values: { ...configuredProps, ...secrets },
    secrets,
    previous: props.filter(({ name }) => additional.includes(name)),
    props,
  };
}

/** A value that was entered as a secret is never returned, even if its prop changes. */
function refuseExposure({ props, values }: Configuration, secrets: Values, given: Values): void {
  const stillSecret = secretProps(props);
  const exposed = Object.keys(values).filter(
    (name) => Object.hasOwn(secrets, name) && !stillSecret.has(name) && !Object.hasOwn(given, name),
  );
  const message = "is not a secret any more: enter its value again";
  if (exposed.length > 0)
    throw invalidInput(exposed.map((name) => ({ path: `configured_props.${name}`, message })));
}
