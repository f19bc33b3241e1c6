import { Turns } from "./turns.ts";
import { Waiters } from "./waiters.ts";

/** Poll interval of a waiting call, in case no event wakes it; longer in a long line. */
const LOOK_MS = 500;

/** The owner of the call. */
type Call = {
  owner: string;
  /** The place where the call was in progress when its process was lost; undefined: none. */
  place: number | undefined;
  startedMs: number;
  /** The time from which nobody waits for the call. */
  expiresMs: number;
};

/** A call in a line. */
export class Entry<T extends Call> {
  readonly call: T;
  /** Whether nothing may run beside it. */
  isAlone: boolean;
  /** Whether it must not run here any more. */
  isReleased = false;
  hasBegun = false;
  /** Whether it yielded long enough not to be the likely cause: the next one need not wait for its end. */
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

/** Calls that run sequentially. The next call begins when one yields, unless one of both must run alone. */
export class Line<E extends Entry<Call>> implements Iterable<E> {
  readonly #entries = new Set<E>();
  readonly #turns = new Turns();

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

  /** Resolves to true at a call's turn, to false if it was released. Rejects when nobody waits for it any more. */
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

  /** The next call need not wait for the end of this one. */
  yielded(entry: E): void {
    if (entry.hasYielded) return;
    entry.hasYielded = true;
    this.#wakeNext();
  }

  /** Requeue a call, to run alone. */
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
    entry.hasBegun = true;
    entry.hasYielded = false;
    this.#turns.take(entry.call.owner);
  }

  #wakeNext(): void {
    this.#first()?.waiters.wake();
  }

  #mayBegin(entry: E): boolean {
    for (const one of this.#entries)
      if (one.hasBegun && (one.isAlone || entry.isAlone || !one.hasYielded)) return false;
    return true;
  }

  /** Owners take turns; an owner's calls run in the order of their start. */
  #first(): E | undefined {
    let first: E | undefined;
    for (const entry of this.#entries)
      if (!entry.hasBegun && (!first || this.#isBefore(entry.call, first.call))) first = entry;
    return first;
  }

  #isBefore(a: Call, b: Call): boolean {
    return (this.#turnOf(a) - this.#turnOf(b) || a.startedMs - b.startedMs) < 0;
  }

  /** Calls that were lost together run in the order of time: the cause began before the process was blocked. */
  #turnOf({ owner, place }: Call): number {
    return place === undefined ? this.#turns.of(owner) : 0;
  }
}
