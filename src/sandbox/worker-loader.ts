import type { OwnerId } from "#domain/ids.ts";

import { COMPATIBILITY_DATE, COMPATIBILITY_FLAGS } from "./compatibility.ts";
import { DATA_FOLDER } from "./data-files.ts";
import { HARNESS, MAIN_MODULE } from "./harness.ts";
import { isolateName, type LoaderEnv } from "./isolate-name.ts";
import { LoadedCode } from "./loaded-code.ts";
import type { Bundle, UserCode } from "./user-code.ts";

/** Limits of one event by its owner's plan. Cloudflare enforces them; a local workerd ignores them. */
const LIMITS = {
  free: { cpuMs: 10_000, subRequests: 200 },
  paid: { cpuMs: 30_000, subRequests: 1000 },
  legacy: { cpuMs: 30_000, subRequests: 1000 },
};

export type Plan = keyof typeof LIMITS;

/** Maximum events in one call of an isolate. */
export const MAX_EVENTS_PER_CALL = 32;

/** Cloudflare's limits of one invocation. */
const MAX_CPU_MS = 300_000;
const MAX_SUBREQUESTS = 10_000;

/**
 * The limits of a call for some events: a call is one invocation, whose limits all of its events share. Deployments
 * without a plan, from older releases, have the larger ones.
 */
export function limitsOf(plan: Plan = "paid", events = 1): (typeof LIMITS)[Plan] {
  const { cpuMs, subRequests } = LIMITS[plan];
  return {
    cpuMs: Math.min(cpuMs * events, MAX_CPU_MS),
    subRequests: Math.min(subRequests * events, MAX_SUBREQUESTS),
  };
}

export type IsolateModule =
  | string
  | { js: string }
  | { cjs: string }
  | { wasm: ArrayBuffer }
  | { data: ArrayBuffer };

/** The code, its owner and its egress; and the expressions of a step, if any. */
export type Tenant = {
  owner: OwnerId;
  bundleHash: string;
  egress: Fetcher;
  expressions?: { hash: string; code: string } | undefined;
  plan?: Plan | undefined;
  /** Whether it has no network access. */
  isOffline?: boolean | undefined;
};

/**
 * Open a bundle in an isolate of its own through the Worker Loader. Sources of one owner with the same bundle share the
 * isolate; two owners never do. `bundle` is called only without a warm isolate.
 */
export function loadUserCode(
  env: LoaderEnv,
  tenant: Tenant,
  bundle: () => Promise<Bundle>,
): UserCode {
  const limits = limitsOf(tenant.plan, MAX_EVENTS_PER_CALL);
  return new LoadedCode((suffix) => {
    const name = nameOf(env, tenant, suffix);
    const code = async () => ({ ...workerCode(tenant, await bundle()), limits });
    const worker = env.LOADER.get(name, code);
    // Of the limits of the isolate and those of a call, the lower ones hold.
    return (events) => entrypointOf(worker, limitsOf(tenant.plan, events));
  });
}

/** End the idle isolate of a bundle: the runtime frees it. Never rejects. */
export async function endIsolate(env: LoaderEnv, tenant: Tenant): Promise<void> {
  // The call ends with the isolate.
  await harnessOf(env, tenant)
    .end()
    .catch(() => undefined);
}

/** Collect the garbage of a bundle's isolate. Never rejects. */
export async function collectGarbage(env: LoaderEnv, tenant: Tenant): Promise<void> {
  await harnessOf(env, tenant)
    .collect()
    .catch(() => undefined);
}

/** The state of a live isolate, without its code. */
function harnessOf(env: LoaderEnv, tenant: Tenant) {
  const worker = env.LOADER.get(nameOf(env, tenant, ""), () => {
    throw new Error("It has ended already");
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the default export of the platform's harness has these.
  return worker.getEntrypoint() as unknown as Record<"end" | "collect", () => Promise<void>>;
}

/** The name of an isolate. It contains the limits, because a warm isolate keeps those that it was loaded with. */
function nameOf(
  env: LoaderEnv,
  { owner, bundleHash, plan, expressions }: Tenant,
  suffix: string,
): string {
  const { cpuMs, subRequests } = limitsOf(plan, MAX_EVENTS_PER_CALL);
  const hash = expressions?.hash ?? "";
  return isolateName(env, [owner, bundleHash, cpuMs, subRequests, hash, suffix].join(":"));
}

/**
 * Open a bundle in an isolate that nobody else shares. The runtime frees it with its stub; a named isolate stays until
 * a local runtime ends.
 */
export function loadOnce(
  env: Pick<LoaderEnv, "LOADER">,
  tenant: Omit<Tenant, "bundleHash">,
  bundle: Bundle,
): UserCode {
  return entrypointOf(env.LOADER.load(workerCode(tenant, bundle)), limitsOf(tenant.plan));
}

function workerCode(
  { egress, expressions, isOffline = false }: Pick<Tenant, "egress" | "expressions" | "isOffline">,
  bundle: Bundle,
): WorkerLoaderWorkerCode {
  return {
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: COMPATIBILITY_FLAGS,
    mainModule: MAIN_MODULE,
    modules: isolateModules(bundle, expressions?.code),
    env: {},
    globalOutbound: isOffline ? null : egress,
  };
}

function entrypointOf(worker: WorkerStub, limits: (typeof LIMITS)[Plan]): UserCode {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the harness of the platform has this default export.
  return worker.getEntrypoint(undefined, { limits }) as unknown as UserCode;
}

/** Replaces the patch of `node:tls` in code without sockets, so that it does not load that module and its imports. */
const NOTHING = "export {};";

/** All modules of an isolate of user code, by name. */
export function isolateModules(
  bundle: Bundle,
  expressions = "export default {};",
): Record<string, IsolateModule> {
  const tlsHandle = bundle.mayConnect === false && { "tls-handle.worker.js": NOTHING };
  return { ...HARNESS, ...tlsHandle, "expressions.js": expressions, ...modulesOf(bundle) };
}

/** A bundle as the modules of an isolate. */
export function modulesOf({ code, ownFiles, dependencies }: Bundle): Record<string, IsolateModule> {
  const packages = Object.entries({ ...dependencies.modules, ...ownFiles }).map(([name, text]) => [
    name,
    moduleOf(name, text),
  ]);
  return { ...Object.fromEntries(packages), "component.js": code };
}

function moduleOf(name: string, text: string): IsolateModule {
  if (name.startsWith(DATA_FOLDER)) return { data: Uint8Array.fromBase64(text).buffer };
  if (name.endsWith(".wasm")) return { wasm: Uint8Array.fromBase64(text).buffer };
  return name.endsWith(".cjs") ? { cjs: text } : text;
}
