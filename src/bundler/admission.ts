type Guest = { client: string; size: number; untilMs: number };

type Limits = {
  /** Maximum total size of the admitted work. */
  limit: number;
  /** Work up to this size is admitted even beyond the limit if its client has no other work admitted. */
  small: number;
  stayMs: number;
  now?: () => number;
};

/** The share of the limit for one client: four components of 1 MB fit, as an import sends them in parallel. */
const CLIENT_SHARE = 0.75;

/**
 * Admits work while its total size is at most a limit, and the size of one client's work at most three quarters of it:
 * one client's backlog leaves room for others. Work that never ends, because its request was cancelled, counts until
 * its time is over.
 */
export class Admission {
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #inside = new Set<Guest>();

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#now = limits.now ?? Date.now;
  }

  /**
   * Returns a function to call when the work is done; undefined if there is no room. Work larger than its client's
   * share is that client's only one, and work larger than the limit is admitted alone.
   */
  enter(client: string, size: number): (() => void) | undefined {
    const now = this.#now();
    for (const guest of this.#inside) if (guest.untilMs <= now) this.#inside.delete(guest);
    if (!this.#hasRoom(client, size)) return undefined;
    const guest = { client, size, untilMs: now + this.#limits.stayMs };
    this.#inside.add(guest);
    return () => void this.#inside.delete(guest);
  }

  #hasRoom(client: string, size: number): boolean {
    const { limit, small } = this.#limits;
    const inside = [...this.#inside];
    const own = inside.filter((guest) => guest.client === client);
    if (own.length > 0 && sizeOf(own) + size > limit * CLIENT_SHARE) return false;
    if (own.length === 0 && size <= small) return true;
    return inside.length === 0 || sizeOf(inside) + size <= limit;
  }
}

function sizeOf(guests: readonly Guest[]): number {
  return guests.reduce((sum, { size }) => sum + size, 0);
}
