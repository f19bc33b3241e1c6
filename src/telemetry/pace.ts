/** Minimum interval between two lines about one kind of failure of an object. */
const INTERVAL_MS = 1000;

/** Rate-limits a repeated log line: one a second, with a count. */
export class Pace {
  #lastLineMs = 0;
  #unlogged = 0;

  /** Count one more. Returns the count since the last line if a line may be written now, else 0. */
  due(nowMs: number): number {
    this.#unlogged += 1;
    if (nowMs - this.#lastLineMs < INTERVAL_MS) return 0;
    const count = this.#unlogged;
    this.#lastLineMs = nowMs;
    this.#unlogged = 0;
    return count;
  }
}
