/** Maximum owners whose last turn is recorded. */
const MAX_OWNERS = 1000;

/** The last turns of owners: the one whose turn was longest ago comes next. */
export class Turns {
  readonly #last = new Map<string, number>();
  #taken = 0;

  /** The number of an owner's last turn, in the order of all turns; 0: none is recorded. */
  of(owner: string): number {
    return this.#last.get(owner) ?? 0;
  }

  /** Record an owner's turn. */
  take(owner: string): void {
    this.#last.delete(owner);
    this.#last.set(owner, (this.#taken += 1));
    const [longestAgo] = this.#last.keys();
    if (this.#last.size > MAX_OWNERS && longestAgo !== undefined) this.#last.delete(longestAgo);
  }
}
