import { IsolateTimeout } from "#domain/isolate-timeout.ts";
import { withTimeout } from "#domain/timeout.ts";

/** Calls that wait for an event. */
export class Waiters {
  readonly #wakes = new Set<() => void>();

  get size(): number {
    return this.#wakes.size;
  }

  /**
   * Wait for a call of `wake`, at most for `withinMs`. Rejects with `IsolateTimeout` after `expiresMs`: the caller has
   * timed out by then.
   */
  async wait(withinMs: number, expiresMs: number): Promise<void> {
    if (Date.now() > expiresMs) throw new IsolateTimeout();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakes.add(resolve);
    try {
      await withTimeout(promise, withinMs, () => undefined);
    } finally {
      this.#wakes.delete(resolve);
    }
  }

  wake(): void {
    for (const wake of this.#wakes) wake();
  }
}
