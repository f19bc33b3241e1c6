import type { SandboxStatus, Target } from "./contract.ts";

type Isolate = { target: Target; calls: number };

/** The isolates of a process, in the order of their last use. */
export class IsolateRegister {
  readonly #isolates = new Map<string, Isolate>();
  #calls = 0;

  /** Note that an isolate is in use for as long as a call takes. */
  async during<T>(target: Target, call: () => Promise<T>): Promise<T> {
    const isolate = this.#touch(target);
    isolate.calls += 1;
    this.#calls += 1;
    try {
      return await call();
    } finally {
      isolate.calls -= 1;
      this.#calls -= 1;
    }
  }

  /** Calls under way, and isolates that stay when theirs are over. */
  status(): SandboxStatus {
    return { calls: this.#calls, isolates: this.#isolates.size };
  }

  /** End the isolates that were idle longest, but for `keep`. Those that are in use stay. */
  async end(keep: number, endIsolate: (target: Target) => Promise<void>): Promise<void> {
    const idle = [...this.#isolates].filter(([, { calls }]) => calls === 0);
    for (const [key, { target }] of idle.slice(0, Math.max(0, idle.length - keep))) {
      // Taken up again while others ended, it stays.
      if (this.#isolates.get(key)?.calls !== 0) continue;
      this.#isolates.delete(key);
      await endIsolate(target);
    }
  }

  #touch(target: Target): Isolate {
    if (target.isAlone) return { target, calls: 0 };
    const { unstored: _, ...key } = target;
    const name = JSON.stringify(key);
    const isolate = this.#isolates.get(name) ?? { target, calls: 0 };
    this.#isolates.delete(name);
    this.#isolates.set(name, isolate);
    return isolate;
  }
}
