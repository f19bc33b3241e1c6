import type { PendingChange } from "#db/schema/tables.ts";
import { HTTP_INTERFACE, type PropDefinition } from "#domain/definition.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import { type ActorId, type Id, newToken, type OwnerId } from "#domain/ids.ts";
import { additionalProps } from "#domain/props.ts";
import { usedUp } from "#domain/quotas.ts";
import { MAX_ROW_BYTES, storedBytes } from "#domain/row-size.ts";
import { unshardable } from "#domain/source-shards.ts";
import type { Deployment, HooksResult } from "#durable-objects/source/contract.ts";
import type { Plan } from "#sandbox/worker-loader.ts";
import { placeOfSource, sealSecrets } from "#vault/secret-props.ts";

import type { Component } from "../components.ts";
import type { AppContext } from "../context.ts";
import { createEndpointKey } from "../endpoint-keys.ts";
import { labelsOf } from "../scripts.ts";
import type { Chosen } from "./choice.ts";
import type { Configuration } from "./configuration.ts";

/** A deployment is one value in the storage of its source. */
const MAX_DEPLOYMENT_BYTES = MAX_ROW_BYTES - 1000;

const TOO_LARGE = `all props with their values must be at most ${MAX_DEPLOYMENT_BYTES} bytes; strings with characters beyond Latin-1 take two bytes a character`;

type Target = { id: Id<"source">; ownerId: OwnerId; endpoints: Record<string, string> };

type Planned = {
  /** The owner's name of the source. */
  name: string;
  component: Component;
  configuration: Configuration;
  plan: Plan | undefined;
  /** The id of the change that deploys it. */
  change: string;
  /** Whether events of the `deploy` hook are kept and delivered. Absent: yes. */
  emitOnDeploy?: boolean | undefined;
  shards: number;
};

/** The deployment of a source. Secrets are sealed before they are sent to its object. */
export async function deploymentOf(
  { origin, vault }: Pick<AppContext, "origin" | "vault">,
  { id, ownerId, endpoints }: Target,
  { name, component, configuration, plan, change, emitOnDeploy, shards }: Planned,
): Promise<Deployment> {
  const { definition, bundleHash } = component;
  const { plain, sealed } = await sealSecrets(
    vault,
    placeOfSource({ sourceId: id, ownerId }),
    configuration,
  );
  const deployment = {
    sourceId: id,
    ownerId,
    name,
    change,
    bundleHash,
    labels: labelsOf(component),
    ...(plan && { plan }),
    dedupe: definition.dedupe ?? null,
    runs: definition.runs,
    ...(definition.namesRespond === false && { namesRespond: false }),
    hooks: definition.hooks,
    ...(emitOnDeploy !== undefined && { emitOnDeploy }),
    props: configuration.props,
    additional: additionalProps(definition.props, configuration.props).map((prop) => prop.name),
    configuredProps: plain,
    sealedProps: sealed,
    endpoints,
    origin,
    ...(shards > 1 && { shards }),
  };
  if (storedBytes(deployment) > MAX_DEPLOYMENT_BYTES)
    throw invalidInput([{ path: "configured_props", message: TOO_LARGE }]);
  return deployment;
}

/** Refuse several shards for a component that works only in one object. */
export function checkShards(
  { definition }: Component,
  { props }: Configuration,
  shards: number,
): void {
  const message = shards > 1 ? unshardable({ dedupe: definition.dedupe, props }) : undefined;
  if (message !== undefined) throw invalidInput([{ path: "shards", message }]);
}

/** The target state of a source's row after a create or an update, recorded before it begins. */
export function pendingChange(
  { component, isNew }: Chosen,
  { name, userId }: { name: string; userId: ActorId },
): PendingChange & { change: string } {
  return {
    change: newToken(),
    userId,
    component: isNew ? component : null,
    componentId: component.id,
    name,
    bundleHash: component.bundleHash,
  };
}

/** Endpoint keys for the HTTP interfaces of a source. A remaining prop keeps its key: others use its URL. */
export async function endpointsFor(
  ctx: Pick<AppContext, "vault">,
  { id, endpoints: existing = {} }: { id: Id<"source">; endpoints?: Record<string, string> },
  props: readonly PropDefinition[],
): Promise<Record<string, string>> {
  const http = props.filter(({ type }) => type === HTTP_INTERFACE);
  const entries = http.map(
    async ({ name }) => [name, existing[name] ?? (await createEndpointKey(ctx, id))] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** A refusal because a hook of the component failed, or may not run. */
export function hookFailed(result: Extract<HooksResult, { ok: false }>): RequestError {
  if ("exhausted" in result)
    return new RequestError("quota_exceeded", `No hook was run: ${usedUp(result.exhausted)}`);
  const { hook, failure } = result;
  const { name, message, stack } = failure;
  return new RequestError("hook_failed", `The ${hook} hook failed: ${name}: ${message}`, {
    hook,
    error: { name, message, stack },
  });
}
