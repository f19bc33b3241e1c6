import { env, exports } from "cloudflare:workers";
import { vi } from "vitest";

import type { ComponentDefinition } from "#domain/definition.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Id, newId, type OwnerId } from "#domain/ids.ts";
import type { Json } from "#domain/json.ts";
import { EMPTY_LOCKFILE } from "#domain/lockfile.ts";
import type { Deployment, HooksResult } from "#durable-objects/source/contract.ts";
import { openCodeStore } from "#sandbox/code-store.ts";
import type { Bundle, UserCode } from "#sandbox/user-code.ts";
import { loadUserCode } from "#sandbox/worker-loader.ts";
import { endpointsFor } from "#services/sources/deployment.ts";
import { openVault } from "#vault/vault.ts";
import { openContext } from "#worker/bindings.ts";

import { waitingEvents } from "./source-tables.ts";

export const ORIGIN = "http://wellspring.test";

/** A source map that maps nothing: the code runs as written. */
const NO_MAP = `{"version":3,"sources":[],"names":[],"mappings":""}`;

type SourceStub = DurableObjectStub<import("#durable-objects/source/object.ts").SourceObject>;

type Options = {
  id?: Id<"source">;
  owner?: OwnerId;
  plan?: Deployment["plan"];
  props?: Record<string, Json>;
};

/** A bundle of one module that needs no packages. */
export function oneModule(hash: string, code: string): Bundle {
  const dependencies = { hash: "", modules: {} };
  return { hash, code, map: NO_MAP, dependencies, lockfile: EMPTY_LOCKFILE };
}

/** Open component code, one ES module, in its isolate. */
export async function open(code: string, owner: OwnerId): Promise<UserCode> {
  const bundleHash = await sha256Hex(code);
  const egress = exports.Egress({ props: { owner } });
  return loadUserCode(env, { owner, bundleHash, egress }, async () => oneModule(bundleHash, code));
}

/** Put component code, one ES module, into the code store and describe it in its isolate. */
export async function install(
  code: string,
  owner: OwnerId,
): Promise<[ComponentDefinition, string]> {
  const hash = await sha256Hex(code);
  await openCodeStore(env.CODE).putBundle(oneModule(hash, code));
  const description = await (await open(code, owner)).describe();
  if (!description.ok) throw new Error(description.failure.message);
  const home = await openContext(env).scripts?.provide({ owner, bundleHash: hash });
  if (home?.kind === "failed") throw new Error(home.message);
  return [JSON.parse(description.value) as ComponentDefinition, hash];
}

/** The deployment of component code, as the control plane would pass it to a source. */
export async function deploymentOf(code: string, options: Options = {}): Promise<Deployment> {
  const sourceId = options.id ?? newId("source");
  const ownerId = options.owner ?? newId("user");
  const [definition, bundleHash] = await install(code, ownerId);
  const endpoints = await endpointsFor(
    { vault: openVault(env) },
    { id: sourceId },
    definition.props,
  );
  return {
    sourceId,
    ownerId,
    bundleHash,
    dedupe: definition.dedupe ?? null,
    runs: definition.runs,
    hooks: definition.hooks,
    props: definition.props,
    configuredProps: options.props ?? {},
    endpoints,
    origin: ORIGIN,
    ...(options.plan && { plan: options.plan }),
  };
}

/** Deploy component code to a new source object. */
export async function deploy(code: string, options: Options = {}) {
  const deployment = await deploymentOf(code, options);
  const stub = env.SOURCES.getByName(deployment.sourceId);
  const result: HooksResult = await stub.deploy(deployment);
  const [key] = Object.values(deployment.endpoints);
  return { stub, deployment, result, url: `${ORIGIN}/e/${key}` };
}

/** Send a request to an endpoint, through the Worker, and read the whole response. */
export async function send(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await exports.default.fetch(url, { method: "POST", ...init });
  // An object with an unread response counts as busy, and cannot be evicted.
  const body = await response.arrayBuffer();
  return new Response(body.byteLength > 0 ? body : null, response);
}

/** POST a JSON body to an endpoint. */
export function sendJson(url: string, body: Json): Promise<Response> {
  return send(url, { headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

/** Wait for runs that take so long, on a busy machine perhaps, that their events were acknowledged from the inbox. */
async function untilIdle(stub: SourceStub): Promise<void> {
  await vi
    .waitUntil(async () => (await waitingEvents(stub)) === 0, { interval: 10, timeout: 3000 })
    // A test that reads a source during a run gets what there is.
    .catch(() => undefined);
}

/** The events of a source, newest first, with their payloads parsed. */
export async function eventsOf(stub: SourceStub, channel?: string) {
  await untilIdle(stub);
  const { events } = await stub.events({ limit: 100, channel, expand: true });
  return events.map(({ payload, ...event }) => ({ ...event, event: JSON.parse(payload) as Json }));
}
