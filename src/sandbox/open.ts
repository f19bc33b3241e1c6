import type { OwnerId } from "#domain/ids.ts";

import { openCodeStore } from "./code-store.ts";
import { DispatchedCode, type Home } from "./dispatch-namespace.ts";
import type { ScriptKey, ScriptLabels } from "./script.ts";
import type { Bundle, UserCode } from "./user-code.ts";
import { loadUserCode, type Plan } from "./worker-loader.ts";

/** Deployed code: whose, which, by what plan, and what its component is called. */
export type DeployedCode = {
  ownerId: OwnerId;
  bundleHash: string;
  plan?: Plan | undefined;
  labels?: ScriptLabels | undefined;
};

type ScriptRequest = ScriptKey & { labels?: ScriptLabels | undefined; isMissing: true };

/** What an object has to open code with. */
type Means = {
  egress: (owner: OwnerId) => Fetcher;
  /** Asks the keeper of the namespace for a script. */
  provide: (request: ScriptRequest) => Promise<Home>;
};

/** Open deployed code by the adapter that the operator chose; the code need not be deployed anew for another. */
export function openUserCode(
  env: Env,
  { egress, provide }: Means,
  { ownerId: owner, bundleHash, plan, labels }: DeployedCode,
): UserCode {
  const loaded = () =>
    loadUserCode(env, { owner, bundleHash, plan, egress: egress(owner) }, () =>
      bundleOf(env, bundleHash),
    );
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

/** Whether code runs as scripts of a dispatch namespace: the operator wants it, and there is one. */
export function isDispatching({ USER_CODE, DISPATCH }: Pick<Env, "USER_CODE" | "DISPATCH">) {
  return USER_CODE === "dispatch" && DISPATCH !== undefined;
}

/** A bundle from the code store. Throws where it is not there. */
export async function bundleOf({ CODE }: Pick<Env, "CODE">, hash: string): Promise<Bundle> {
  const bundle = await openCodeStore(CODE).bundle(hash);
  if (!bundle) throw new Error(`Bundle ${hash} is not in the code store`);
  return bundle;
}
