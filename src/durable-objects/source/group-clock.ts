/**
 * Measures the runs of one call from outside of the isolate, where user code cannot tamper with it and where time
 * goes on while it computes.
 */
export class GroupClock {
  readonly #inOrder: boolean;
  #fromMs = performance.now();

  constructor(inOrder: boolean) {
    this.#inOrder = inOrder;
  }

  /** Measure from now on: the call begins. */
  restart(): void {
    this.#fromMs = performance.now();
  }

  /** How long a run took that ended by itself: in order, since the one before; else since the call. */
  next(): number {
    const nowMs = performance.now();
    const elapsedMs = nowMs - this.#fromMs;
    if (this.#inOrder) this.#fromMs = nowMs;
    return whole(elapsedMs);
  }

  /** What each of the runs took that ended together: they had one thread between them. */
  shareOf(count: number): number {
    return whole((performance.now() - this.#fromMs) / count);
  }
}

/** A run has started its first millisecond as soon as it begins. */
function whole(ms: number): number {
  return Math.max(1, Math.ceil(ms));
}
