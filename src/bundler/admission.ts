type Guest = { client: string; size: number; untilMs: number };

type Limits = {
  /** The sizes of all that is inside, added up. */
  limit: number;
  /** Work of at most this size is let in even beyond the limit, where its client has nothing inside. */
  small: number;
  stayMs: number;
  now?: () => number;
};

/** The part of the room that one client may fill: four components of 1 MB, as an import sends them side by side, fit. */
const CLIENT_SHARE = 0.75;

/**
 * Lets work in while the sizes of all that is inside come to at most a limit, and those of one client to at most three
 * quarters of it: one client's backlog leaves room for others. Work that never leaves, because its request was cancelled, counts
 * until its time is over.
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
   * The function to call when the work is done; undefined where there is no room. Work larger than its client's share
   * is that client's only one, and work larger than the limit goes in alone.
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
