/**
 * Measures the time for which a process has not responded. A late check counts as `maxLookMs`: then the checker was
 * held up, or the machine slept, or its clock was set, and an unread response may exist.
 */
export class Silence {
  readonly #maxLookMs: number;
  #lookedMs: number;
  #silentMs = 0;

  constructor(nowMs: number, maxLookMs: number) {
    this.#lookedMs = nowMs;
    this.#maxLookMs = maxLookMs;
  }

  /** Check again; returns the time without a response. */
  look(nowMs: number): number {
    const sinceMs = Math.max(0, nowMs - this.#lookedMs);
    this.#lookedMs = nowMs;
    this.#silentMs += Math.min(sinceMs, this.#maxLookMs);
    return this.#silentMs;
  }

  /** Record a response. */
  answered(): void {
    this.#silentMs = 0;
  }
}
