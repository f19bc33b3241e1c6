import type { OwnerId } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";

import { RelayedCode } from "./relayed-code.ts";
import { type ScriptKey, scriptName } from "./script.ts";
import type { UserCode } from "./user-code.ts";
import { limitsOf, type Plan } from "./worker-loader.ts";

/** The place of code: its script, or the loader if a script is impossible. */
export type Home =
  | { kind: "script" }
  | { kind: "loader" }
  | { kind: "failed"; message: string; retryAfterMs: number };

type Dispatched = {
  namespace: DispatchNamespace;
  key: ScriptKey;
  plan?: Plan | undefined;
  /** Upload the script. Resolves once it can be called, or cannot for good. */
  provide: () => Promise<Home>;
  /** The same code through the loader. */
  loaded: () => UserCode;
};

/** The time for which the loader runs the code after an upload failed for an unknown reason. */
const PAUSE_MS = 30_000;

/**
 * Code that runs as a script of a dispatch namespace. If its script is missing (after a change of the adapter, an
 * upgrade or a deletion), it is uploaded, and the loader runs the code meanwhile: no event waits for Cloudflare's API
 * or is lost in its outages.
 */
export class DispatchedCode extends RelayedCode {
  readonly #dispatched: Dispatched;
  #name: Promise<string> | undefined;
  #loaded: UserCode | undefined;
  #isObtaining = false;
  // The loader runs the code until then.
  #awayUntilMs = 0;

  constructor(dispatched: Dispatched) {
    super();
    this.#dispatched = dispatched;
  }

  protected override async relay<T>(use: (code: UserCode) => Promise<T>, events = 1): Promise<T> {
    if (this.#isObtaining || Date.now() < this.#awayUntilMs) return use(this.#load());
    this.#name ??= scriptName(this.#dispatched.key);
    const name = await this.#name;
    const script = this.#open(name, events);
    try {
      return await use(script);
    } catch (error) {
      // No part of it has run, so it is safe to run elsewhere.
      if (!isMissing(error)) throw error;
      void this.#obtain();
      return await use(this.#load());
    } finally {
      release(script);
    }
  }

  #open(name: string, events: number): UserCode {
    const { namespace, key, plan } = this.#dispatched;
    const script = getScript(namespace, name, { owner: key.owner, plan, events });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the harness of the platform has this default export.
    return script as unknown as UserCode;
  }

  #load(): UserCode {
    this.#loaded ??= this.#dispatched.loaded();
    return this.#loaded;
  }

  async #obtain(): Promise<void> {
    if (this.#isObtaining) return;
    this.#isObtaining = true;
    const fields = { script: await this.#name, owner_id: this.#dispatched.key.owner };
    try {
      const home = await this.#dispatched.provide();
      this.#awayUntilMs = awayUntil(home, Date.now());
      if (home.kind === "failed") log("script_unavailable", fields);
    } catch (error) {
      this.#awayUntilMs = Date.now() + PAUSE_MS;
      log("script_unavailable", { ...fields, error });
    } finally {
      this.#isObtaining = false;
    }
  }
}

function awayUntil(home: Home, nowMs: number): number {
  if (home.kind === "failed") return nowMs + home.retryAfterMs;
  return home.kind === "loader" ? Infinity : 0;
}

/** A script with the limits of its owner's plan for so many events, and the owner's id for the outbound Worker. */
function getScript(
  namespace: DispatchNamespace,
  name: string,
  { owner, plan, events }: { owner: OwnerId | ""; plan?: Plan | undefined; events?: number },
): Fetcher {
  return namespace.get(name, {}, { limits: limitsOf(plan, events), outbound: { OWNER: owner } });
}

/** Call a script without running user code. Throws if it is missing. */
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

/** Dispose of a stub: a Durable Object that holds one counts as busy. */
function release(script: object): void {
  const dispose: unknown = Reflect.get(script, Symbol.dispose);
  if (typeof dispose === "function") Reflect.apply(dispose, script, []);
}

/** Whether a call failed because the script does not exist; then no part of it has run. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Worker not found");
}
