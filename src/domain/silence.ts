/**
 * Adds up how long a process has not responded. A check that comes late counts as `maxLookMs`: then the checker was
 * held up, or the machine slept, or its clock was set, and the answer may be there unread.
 */
export class Silence {
  readonly #maxLookMs: number;
  #lookedMs: number;
  #silentMs = 0;

  constructor(nowMs: number, maxLookMs: number) {
    this.#lookedMs = nowMs;
    this.#maxLookMs = maxLookMs;
  }

  /** Look once more; returns for how long there was no answer. */
  look(nowMs: number): number {
    const sinceMs = Math.max(0, nowMs - this.#lookedMs);
    this.#lookedMs = nowMs;
    this.#silentMs += Math.min(sinceMs, this.#maxLookMs);
    return this.#silentMs;
  }

  /** There was an answer. */
  answered(): void {
    this.#silentMs = 0;
  }
}
