import { IsolateTimeout } from "#domain/isolate-timeout.ts";

/** Callbacks of those that wait for something. */
export class Waiters {
  readonly #wakes = new Set<() => void>();

  /**
   * Wait until `wake` is called, or for `withinMs`. Rejects with `IsolateTimeout` after `expiresMs`: then nobody waits for the
   * call any more.
   */
  async wait(withinMs: number, expiresMs: number): Promise<void> {
    if (Date.now() > expiresMs) throw new IsolateTimeout();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakes.add(resolve);
    try {
      await Promise.race([promise, scheduler.wait(withinMs)]);
    } finally {
      this.#wakes.delete(resolve);
    }
  }

  wake(): void {
    for (const wake of this.#wakes) wake();
  }
}
