import { withTimeout } from "#domain/timeout.ts";

import type { SandboxStatus, Target } from "./contract.ts";
import { type Load, LoadGate } from "./load-gate.ts";

type Isolate = {
  target: Target;
  calls: number;
  /** Calls since its last garbage collection. */
  uncollected: number;
};

/** Passes the code of a new isolate on. */
type Reading = <C>(code: Promise<C>) => Promise<C>;

/** The garbage of loading an isolate, in calls. */
const LOADING_CALLS = 50;

/** Poll interval of a call that waits for the end of an isolate. */
const LOOK_MS = 5;

/** Maximum time for an isolate to end: code may have tampered with it. */
const END_MS = 500;

/** The isolates of a process, in the order of their last use. */
export class IsolateRegister {
  readonly #isolates = new Map<string, Isolate>();
  readonly #ending = new Set<string>();
  readonly #gate = new LoadGate();
  #calls = 0;
  #begun = 0;

  /** Calls so far. */
  get begun(): number {
    return this.#begun;
  }

  /** Mark an isolate as used for the time of a call, which reads the code of a new isolate by `reading`. */
  async during<T>(target: Target, call: (reading: Reading) => Promise<T>): Promise<T> {
    const name = nameOf(target);
    this.#calls += 1;
    let load: Load | undefined;
    let isolate: Isolate | undefined;
    try {
      const isLoaded = (): boolean => target.isAlone !== true && this.#isolates.has(name);
      // Without a pause: an isolate must not end between its choice and its call.
      const key = target.isAlone ? Symbol("alone") : name;
      if (!isLoaded()) load = await this.#gate.enter(key, target.owner, isLoaded);
      isolate = this.#touch(target, name);
      isolate.calls += 1;
      isolate.uncollected += 1;
      this.#begun += 1;
      // A call that begins in an ending isolate would end with it.
      while (this.#ending.size > 0 && this.#ending.has(name)) await scheduler.wait(LOOK_MS);
      return await call((code) => this.#codeOf(name, load, code));
    } finally {
      load?.end();
      if (isolate) isolate.calls -= 1;
      this.#calls -= 1;
    }
  }

  /** Calls in progress, and isolates that stay after their calls. */
  status(): SandboxStatus {
    return { calls: this.#calls, isolates: this.#isolates.size };
  }

  /** The isolate with most calls since it was last returned here, if they reach this minimum. */
  takeUncollected(calls: number): Target | undefined {
    let most: Isolate | undefined;
    for (const isolate of this.#isolates.values())
      if (isolate.uncollected > (most?.uncollected ?? 0)) most = isolate;
    if (most === undefined || most.uncollected < calls) return undefined;
    most.uncollected = 0;
    return most.target;
  }

  /** End the isolates that were idle longest, except `keep` of them. Isolates in use stay. */
  async end(keep: number, endIsolate: (target: Target) => Promise<void>): Promise<void> {
    const idle = [...this.#isolates].filter(([, { calls }]) => calls === 0);
    const ending = idle.slice(0, Math.max(0, idle.length - keep));
    await Promise.all(
      ending.map(async ([name, { target }]) => {
        this.#isolates.delete(name);
        this.#ending.add(name);
        await withTimeout(endIsolate(target), END_MS, () => undefined);
        this.#ending.delete(name);
      }),
    );
  }

  async #codeOf<C>(name: string, load: Load | undefined, code: Promise<C>): Promise<C> {
    try {
      const read = await code;
      load?.read();
      return read;
    } catch (error) {
      // Nothing was loaded: its next call must wait for its turn again.
      this.#isolates.delete(name);
      throw error;
    }
  }

  #touch(target: Target, name: string): Isolate {
    if (target.isAlone) return isolateOf(target);
    const isolate = this.#isolates.get(name) ?? isolateOf(withoutCode(target));
    this.#isolates.delete(name);
    this.#isolates.set(name, isolate);
    return isolate;
  }
}

function isolateOf(target: Target): Isolate {
  return { target, calls: 0, uncollected: LOADING_CALLS };
}

function nameOf(target: Target): string {
  return JSON.stringify(withoutCode(target));
}

/** Without its code, which may be large: ending it needs only its name. */
function withoutCode(target: Target): Target {
  const { unstored: _, ...own } = target;
  return own;
}
