type Waiting = { dueMs: number; end: (isInTime: boolean) => void };

/**
 * Waits for promises with one timeout. They share one timer, because most settle long before and a
 * timer for each would be expensive. The promises must not reject.
 */
export class SharedDeadline {
  readonly #ms: number;
  // In order of their ends, because all wait equally long.
  readonly #waiting = new Set<Waiting>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Whether a promise settles in time. */
  settles(promise: Promise<unknown>): Promise<boolean> {
    return new Promise((resolve) => {
      const one = { dueMs: Date.now() + this.#ms, end: resolve };
      this.#waiting.add(one);
      if (!this.#timer) this.#timer = setTimeout(() => this.#giveUp(), this.#ms);
      void this.#follow(promise, one);
    });
  }

  async #follow(promise: Promise<unknown>, one: Waiting): Promise<void> {
    await promise;
    this.#waiting.delete(one);
    one.end(true);
  }

  #giveUp(): void {
    this.#timer = undefined;
    const nowMs = Date.now();
    for (const one of this.#waiting) {
      if (one.dueMs > nowMs) {
        this.#timer = setTimeout(() => this.#giveUp(), one.dueMs - nowMs);
        return;
      }
      this.#waiting.delete(one);
      one.end(false);
    }
  }
}
