/** How often an object logs one kind of failure. */
const INTERVAL_MS = 1000;

/** Rate-limits a repeated log line: one a second, with a count. */
export class Pace {
  #toldMs = 0;
  #untold = 0;

  /** Count one more. Returns the count since the last line if a line may be written now, else 0. */
  due(nowMs: number): number {
    this.#untold += 1;
    if (nowMs - this.#toldMs < INTERVAL_MS) return 0;
    const count = this.#untold;
    this.#toldMs = nowMs;
    this.#untold = 0;
    return count;
  }
}
