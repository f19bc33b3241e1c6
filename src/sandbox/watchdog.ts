import { IsolateTimeout } from "#domain/isolate-timeout.ts";

/** Grace period after an isolate's own deadline, before its call fails. */
export const GRACE_MS = 5000;

type Pending = { expiresAtMs: number; reject: (error: unknown) => void };

/**
 * Calls that wait for an isolate. The harness enforces deadlines; this handles unresponsive isolates. The alarm checks
 * them while work is pending, so no call needs a timer of its own.
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
