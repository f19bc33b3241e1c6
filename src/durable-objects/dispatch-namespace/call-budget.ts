/** Cloudflare's API accepts 1,200 calls of a user in 5 minutes; the user deploys and browses with the same token. */
const CALLS = 1000;
const WINDOW_MS = 5 * 60_000;

/** Keeps the calls to Cloudflare's API under its rate limit. */
export class CallBudget {
  readonly #most: number;
  // Times of the last calls, oldest first.
  #madeMs: number[] = [];
  #pausedUntilMs = 0;

  constructor(most = CALLS) {
    this.#most = most;
  }

  /** The time that the next call must wait. */
  waitMs(nowMs: number): number {
    this.#madeMs = this.#madeMs.filter((madeMs) => madeMs > nowMs - WINDOW_MS);
    const oldestMs = this.#madeMs[this.#madeMs.length - this.#most];
    const freeMs = oldestMs === undefined ? nowMs : oldestMs + WINDOW_MS;
    return Math.max(0, freeMs - nowMs, this.#pausedUntilMs - nowMs);
  }

  spend(nowMs: number): void {
    this.#madeMs.push(nowMs);
  }

  /** Make no call before this time, as the API requires. */
  pauseUntil(atMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, atMs);
  }

  /** Whether the budget suffices for work that could wait. */
  isAmple(nowMs: number): boolean {
    return this.waitMs(nowMs) === 0 && this.#madeMs.length < this.#most / 2;
  }
}
