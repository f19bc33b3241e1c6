import { Waiters } from "./waiters.ts";

/** A call looks at least so often whether it is its turn, also where nothing wakes it; in a long line less often. */
const LOOK_MS = 500;

/** Of so many owners it is known when they had their last turn. */
const MAX_TURNS = 1000;

/** The owner of the call. */
type Call = {
  owner: string;
  /** The place where the call was under way as its process was lost; undefined: none. */
  place: number | undefined;
  startedMs: number;
  /** When nobody waits for the call any more. */
  expiresMs: number;
};

/** A call in a line. */
export class Entry<T extends Call> {
  readonly call: T;
  /** Whether nothing may run beside it. */
  isAlone: boolean;
  /** Whether it need not run here any more. */
  isReleased = false;
  hasBegun = false;
  /** Whether it yielded for so long that it is most likely not the cause: the next one need not wait until it ends. */
  hasYielded = false;
  readonly waiters = new Waiters();

  constructor(call: T, isAlone: boolean) {
    this.call = call;
    this.isAlone = isAlone;
  }

  release(): void {
    this.isReleased = true;
    this.waiters.wake();
  }
}

/** Calls that run one after the other. A call that yields lets the next one begin, unless one of both is to be alone. */
export class Line<E extends Entry<Call>> implements Iterable<E> {
  readonly #entries = new Set<E>();
  readonly #lastTurns = new Map<string, number>();

  get size(): number {
    return this.#entries.size;
  }

  [Symbol.iterator](): Iterator<E> {
    return this.#entries.values();
  }

  add(entry: E): void {
    this.#entries.add(entry);
  }

  delete(entry: E): void {
    this.#entries.delete(entry);
    this.#wakeNext();
  }

  /** Resolves to whether it is a call's turn; else it was released. Rejects when nobody waits for it any more. */
  async turn(entry: E): Promise<boolean> {
    while (!entry.isReleased) {
      if (this.#mayBegin(entry) && this.#first() === entry) {
        this.#begin(entry);
        return true;
      }
      const withinMs = Math.max(LOOK_MS, this.#entries.size);
      await entry.waiters.wait(withinMs, entry.call.expiresMs);
    }
    return false;
  }

  /** The next call need not wait until this one ends. */
  yielded(entry: E): void {
    if (entry.hasYielded) return;
    entry.hasYielded = true;
    this.#wakeNext();
  }

  /** Put a call back in line, to run alone. */
  retryAlone(entry: E): void {
    entry.isAlone = true;
    entry.hasBegun = false;
    this.#wakeNext();
  }

  /** The calls that run beside one. */
  besides(entry: E): E[] {
    return [...this.#entries].filter((one) => one !== entry && one.hasBegun);
  }

  #begin(entry: E): void {
    const { owner } = entry.call;
    entry.hasBegun = true;
    entry.hasYielded = false;
    this.#lastTurns.delete(owner);
    this.#lastTurns.set(owner, Date.now());
    const [longestAgo] = this.#lastTurns.keys();
    if (this.#lastTurns.size > MAX_TURNS && longestAgo !== undefined)
      this.#lastTurns.delete(longestAgo);
  }

  #wakeNext(): void {
    this.#first()?.waiters.wake();
  }

  #mayBegin(entry: E): boolean {
    for (const one of this.#entries)
      if (one.hasBegun && (one.isAlone || entry.isAlone || !one.hasYielded)) return false;
    return true;
  }

  /** Owners take turns, and of an owner's calls that which began first comes first. */
  #first(): E | undefined {
    let first: E | undefined;
    for (const entry of this.#entries)
      if (!entry.hasBegun && (!first || this.#isBefore(entry.call, first.call))) first = entry;
    return first;
  }

  #isBefore(a: Call, b: Call): boolean {
    return (this.#turnOf(a) - this.#turnOf(b) || a.startedMs - b.startedMs) < 0;
  }

  /** Of calls that were lost together only time decides: the cause began before the process was held up. */
  #turnOf({ owner, place }: Call): number {
    return place === undefined ? (this.#lastTurns.get(owner) ?? 0) : 0;
  }
}
