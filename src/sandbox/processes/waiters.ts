import { IsolateTimeout } from "#domain/isolate-timeout.ts";
import { withTimeout } from "#domain/timeout.ts";

/** Time after which a call that has not waited on is gone: it may end without notice. */
const GONE_MS = 5000;

/** Calls that wait for an event. */
export class Waiters {
  /** The end of each call's wait. */
  readonly #untilMs = new Map<() => void, number>();

  /** The number of waiting calls. */
  get size(): number {
    const goneMs = Date.now() - GONE_MS;
    for (const [wake, untilMs] of this.#untilMs) if (untilMs < goneMs) this.#untilMs.delete(wake);
    return this.#untilMs.size;
  }

  /**
   * Wait for a call of `wake`, at most for `withinMs`. Rejects with `IsolateTimeout` after `expiresMs`: the caller has
   * timed out by then.
   */
  async wait(withinMs: number, expiresMs: number): Promise<void> {
    const nowMs = Date.now();
    if (nowMs > expiresMs) throw new IsolateTimeout();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#untilMs.set(resolve, nowMs + withinMs);
    try {
      await withTimeout(promise, withinMs, () => undefined);
    } finally {
      this.#untilMs.delete(resolve);
    }
  }

  wake(): void {
    for (const wake of this.#untilMs.keys()) wake();
  }
}
