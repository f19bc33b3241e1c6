/**
 * Measures the runs of one call from outside of the isolate, where user code cannot tamper with it and where time
 * advances while it computes.
 */
export class GroupClock {
  readonly #inOrder: boolean;
  #fromMs = performance.now();

  constructor(inOrder: boolean) {
    this.#inOrder = inOrder;
  }

  /** Start the measurement of a call. */
  restart(): void {
    this.#fromMs = performance.now();
  }

  /** Duration of a run that ended by itself: since the previous run if in order, else since the start of the call. */
  next(): number {
    const nowMs = performance.now();
    const elapsedMs = nowMs - this.#fromMs;
    if (this.#inOrder) this.#fromMs = nowMs;
    return whole(elapsedMs);
  }

  /** Duration of each of the runs that ended together: they shared one thread. */
  shareOf(count: number): number {
    return whole((performance.now() - this.#fromMs) / count);
  }
}

/** Every run takes at least a millisecond. */
function whole(ms: number): number {
  return Math.max(1, Math.ceil(ms));
}
