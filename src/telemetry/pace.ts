/** How often an object tells of one thing that goes wrong in it. */
const INTERVAL_MS = 1000;

/** Keeps a thing that happens over and over from filling the log: one line a second tells of all. */
export class Pace {
  #toldMs = 0;
  #untold = 0;

  /** It happened once more. Returns how often it did since it was told last, where it may be told now; else 0. */
  due(nowMs: number): number {
    this.#untold += 1;
    if (nowMs - this.#toldMs < INTERVAL_MS) return 0;
    const count = this.#untold;
    this.#toldMs = nowMs;
    this.#untold = 0;
    return count;
  }
}
