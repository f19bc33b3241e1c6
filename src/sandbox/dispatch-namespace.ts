import type { OwnerId } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";

import { RelayedCode } from "./relayed-code.ts";
import { type ScriptKey, scriptName } from "./script.ts";
import type { UserCode } from "./user-code.ts";
import { limitsOf, type Plan } from "./worker-loader.ts";

/** Where code runs: as its script, or, where that cannot be, through the loader. */
export type Home =
  | { kind: "script" }
  | { kind: "loader" }
  | { kind: "failed"; message: string; retryAfterMs: number };

type Dispatched = {
  namespace: DispatchNamespace;
  key: ScriptKey;
  plan?: Plan | undefined;
  /** Have the script uploaded; resolves when it can be called, or it is known that it cannot. */
  provide: () => Promise<Home>;
  /** The same code through the loader. */
  loaded: () => UserCode;
};

/** How long the loader serves after a script could not be had for a reason that nobody knows. */
const PAUSE_MS = 30_000;

/**
 * Code that runs as a script of a dispatch namespace. While its script is not there (the deployment has just changed
 * over, or was upgraded, or somebody deleted it), it is uploaded, and the loader runs the code meanwhile: no event
 * waits for Cloudflare's API, and none is lost to its outages.
 */
export class DispatchedCode extends RelayedCode {
  readonly #dispatched: Dispatched;
  #name: Promise<string> | undefined;
  #loaded: UserCode | undefined;
  #isAsking = false;
  // Until then, the loader serves.
  #awayUntilMs = 0;

  constructor(dispatched: Dispatched) {
    super();
    this.#dispatched = dispatched;
  }

  protected override async relay<T>(use: (code: UserCode) => Promise<T>): Promise<T> {
    if (this.#isAsking || Date.now() < this.#awayUntilMs) return use(this.#load());
    this.#name ??= scriptName(this.#dispatched.key);
    const name = await this.#name;
    const script = this.#open(name);
    try {
      return await use(script);
    } catch (error) {
      // Nothing has run, so that it may run elsewhere.
      if (!isMissing(error)) throw error;
      void this.#obtain();
      return await use(this.#load());
    } finally {
      release(script);
    }
  }

  #open(name: string): UserCode {
    const { namespace, key, plan } = this.#dispatched;
    const script = getScript(namespace, name, { owner: key.owner, plan });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the harness is ours; its default export is this.
    return script as unknown as UserCode;
  }

  #load(): UserCode {
    this.#loaded ??= this.#dispatched.loaded();
    return this.#loaded;
  }

  async #obtain(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const fields = { script: await this.#name, owner_id: this.#dispatched.key.owner };
    try {
      const home = await this.#dispatched.provide();
      this.#awayUntilMs = awayUntil(home, Date.now());
      if (home.kind === "failed") log("script_unavailable", fields);
    } catch (error) {
      this.#awayUntilMs = Date.now() + PAUSE_MS;
      log("script_unavailable", { ...fields, error });
    } finally {
      this.#isAsking = false;
    }
  }
}

function awayUntil(home: Home, nowMs: number): number {
  if (home.kind === "failed") return nowMs + home.retryAfterMs;
  return home.kind === "loader" ? Infinity : 0;
}

/** A script with what its owner's plan allows, and its owner's name for the outbound Worker. */
function getScript(
  namespace: DispatchNamespace,
  name: string,
  { owner, plan }: { owner: OwnerId | ""; plan?: Plan | undefined },
): Fetcher {
  return namespace.get(name, {}, { limits: limitsOf(plan), outbound: { OWNER: owner } });
}

/** Call a script, but none of its user's code. Throws where it is not there. */
export async function probe({ DISPATCH }: Pick<Env, "DISPATCH">, name: string): Promise<void> {
  if (!DISPATCH) throw new Error("There is no binding DISPATCH to a dispatch namespace");
  const script = getScript(DISPATCH, name, { owner: "" });
  try {
    const response = await script.fetch("https://script/");
    await response.arrayBuffer();
  } finally {
    release(script);
  }
}

/** Let a stub go, where it is one: an object that holds any counts as busy. */
function release(script: object): void {
  const dispose: unknown = Reflect.get(script, Symbol.dispose);
  if (typeof dispose === "function") Reflect.apply(dispose, script, []);
}

/** Whether a call failed because there is no such script; then nothing of it has run. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Worker not found");
}
