type Guest = { size: number; untilMs: number };

/**
 * Lets work in while the sizes of all that is inside come to at most a limit. What never leaves, because its request was
 * cancelled, counts until its time is over.
 */
export class Admission {
  readonly #limit: number;
  readonly #stayMs: number;
  readonly #now: () => number;
  readonly #inside = new Set<Guest>();

  constructor({
    limit,
    stayMs,
    now = Date.now,
  }: {
    limit: number;
    stayMs: number;
    now?: () => number;
  }) {
    this.#limit = limit;
    this.#stayMs = stayMs;
    this.#now = now;
  }

  /** The function to call when the work is done; undefined where there is no room. One larger than the limit goes alone. */
  enter(size: number): (() => void) | undefined {
    const now = this.#now();
    let total = size;
    for (const guest of this.#inside) {
      if (guest.untilMs <= now) this.#inside.delete(guest);
      else total += guest.size;
    }
    if (total > this.#limit && this.#inside.size > 0) return undefined;
    const guest = { size, untilMs: now + this.#stayMs };
    this.#inside.add(guest);
    return () => void this.#inside.delete(guest);
  }
}
