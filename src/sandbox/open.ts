import type { OwnerId } from "#domain/ids.ts";

import { type CodeOrigin, openCodeStore } from "./code-store.ts";
import { DispatchedCode, type Home } from "./dispatch-namespace.ts";
import { ContainedCode } from "./processes/contained-code.ts";
import type { UnstoredBundle } from "./processes/contract.ts";
import { processesOf } from "./processes/processes.ts";
import type { ScriptKey, ScriptLabels } from "./script.ts";
import type { Bundle, UserCode } from "./user-code.ts";
import { loadOnce, loadUserCode, type Plan, type Tenant } from "./worker-loader.ts";

/** Deployed code: owner, bundle, plan, and the labels of its component. */
export type DeployedCode = {
  ownerId: OwnerId;
  bundleHash: string;
  plan?: Plan | undefined;
  labels?: ScriptLabels | undefined;
};

type ScriptRequest = ScriptKey & { labels?: ScriptLabels | undefined; isMissing: true };

/** The dependencies of opening code. */
type Means = {
  egress: (owner: OwnerId) => Fetcher;
  /** Requests a script from the object of the dispatch namespace. */
  provide: (request: ScriptRequest) => Promise<Home>;
};

/** Open deployed code through the configured adapter. A change of the adapter needs no new deployment. */
export function openUserCode(
  env: Env,
  { egress, provide }: Means,
  { ownerId: owner, bundleHash, plan, labels }: DeployedCode,
): UserCode {
  const loaded = () => openLoaded(env, { owner, bundleHash, plan, egress: egress(owner) });
  const { DISPATCH } = env;
  if (!isDispatching(env) || !DISPATCH) return loaded();
  const key = { owner, bundleHash };
  return new DispatchedCode({
    namespace: DISPATCH,
    key,
    plan,
    provide: () => provide({ ...key, labels, isMissing: true }),
    loaded,
  });
}

/** Open code of the store through the loader: of a sandbox process if there are any, else of this one. */
export function openLoaded(env: Env, { egress, ...target }: Tenant): UserCode {
  const processes = processesOf(env);
  if (processes) return new ContainedCode(processes, target);
  return loadUserCode(env, { egress, ...target }, () => bundleOf(env, target.bundleHash));
}

/** Maximum evaluations of an owner that run or wait in quarantine: each may block its process for long. */
const MAX_CONFINED_EVALUATIONS = 5;

/** Whether more code of an owner may be evaluated now: not while much of it waits in quarantine. */
export function mayEvaluate(env: Env, owner: OwnerId): boolean {
  const processes = processesOf(env);
  return !processes || processes.quarantine.evaluations(owner) < MAX_CONFINED_EVALUATIONS;
}

/**
 * Open a bundle that need not be in the store yet, though its packages must be. `isAlone`: in an isolate that nobody
 * else uses; else in the isolate that the code will use after its deployment.
 */
export function openBundle(
  env: Env,
  tenant: Omit<Tenant, "bundleHash">,
  { bundle, isAlone }: { bundle: Bundle; isAlone: boolean },
): UserCode {
  const processes = processesOf(env);
  const bundleHash = bundle.hash;
  if (processes) {
    const { egress: _, ...target } = tenant;
    return new ContainedCode(processes, {
      ...target,
      bundleHash,
      isAlone,
      unstored: unstored(bundle),
    });
  }
  if (isAlone) return loadOnce(env, tenant, bundle);
  return loadUserCode(env, { ...tenant, bundleHash }, async () => bundle);
}

function unstored({ code, mayConnect, ownFiles, dependencies }: Bundle): UnstoredBundle {
  return {
    code,
    packages: dependencies.hash,
    ...(mayConnect !== undefined && { mayConnect }),
    ...(ownFiles && { ownFiles }),
  };
}

/** Whether code runs as scripts of a dispatch namespace: it is configured, and there is one. */
export function isDispatching({ USER_CODE, DISPATCH }: Pick<Env, "USER_CODE" | "DISPATCH">) {
  return USER_CODE === "dispatch" && DISPATCH !== undefined;
}

/** A bundle from the code store. Throws if it does not exist. */
export async function bundleOf({ CODE }: Pick<Env, "CODE">, hash: string): Promise<Bundle> {
  return foundBundle(await openCodeStore(CODE).bundle(hash), hash);
}

/** The origin of the code of a stored bundle, without its packages. Throws if it does not exist. */
export async function originOf({ CODE }: Pick<Env, "CODE">, hash: string): Promise<CodeOrigin> {
  const origin = await openCodeStore(CODE).origin(hash);
  if (!origin) throw missing(hash);
  return origin;
}

/** A bundle that was read from the store. Throws if it did not exist. */
export function foundBundle(bundle: Bundle | undefined, hash: string): Bundle {
  if (!bundle) throw missing(hash);
  return bundle;
}

function missing(hash: string): Error {
  return new Error(`Bundle ${hash} is not in the code store`);
}
