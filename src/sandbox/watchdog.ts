import { IsolateTimeout } from "#domain/isolate-timeout.ts";

/** How long past its own deadline an isolate may stay silent before its call is given up. */
const GRACE_MS = 5000;

type Pending = { expiresAtMs: number; reject: (error: unknown) => void };

/**
 * Calls that wait for an isolate. The harness keeps the deadlines; this is for an isolate that says nothing at
 * all. The alarm looks here while anything is unfinished, which spares every call a timer of its own.
 */
export class Watchdog {
  readonly #pending = new Set<Pending>();

  /** Wait for a call that the harness ends within `deadlineMs`. */
  over<T>(call: Promise<T>, deadlineMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const pending = { expiresAtMs: Date.now() + deadlineMs + GRACE_MS, reject };
      this.#pending.add(pending);
      void this.#follow(call, { pending, resolve });
    });
  }

  async #follow<T>(
    call: Promise<T>,
    { pending, resolve }: { pending: Pending; resolve: (value: T) => void },
  ): Promise<void> {
    try {
      resolve(await call);
    } catch (error) {
      pending.reject(error);
    }
    this.#pending.delete(pending);
  }

  giveUp(nowMs: number): void {
    for (const { expiresAtMs, reject } of this.#pending)
      if (expiresAtMs < nowMs) reject(new IsolateTimeout());
  }
}
