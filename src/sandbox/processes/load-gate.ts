import { Turns } from "./turns.ts";
import { Waiters } from "./waiters.ts";

/**
 * Maximum isolates that load at a time. Each blocks the process while its code compiles, and has its code in memory
 * several times: many together would exceed the memory limit before a check, and delay the response to a ping.
 */
const MAX_LOADING = 2;

/** Time for which code still compiles after it was read. A call may continue for long afterwards. */
const COMPILATION_MS = 50;

/** The maximum duration of a load: a cancelled call never ends its own. */
const MAX_LOAD_MS = 5000;

/** Poll interval of a waiting call, in case no event wakes it. */
const LOOK_MS = 500;

/** Identifies an isolate: its name, or a symbol for one that nobody else uses. */
type Key = string | symbol;

type Loading = {
  key: Key;
  startedMs: number;
  /** Whether it waits for its call, which was woken. */
  isReserved: boolean;
};

/** An isolate whose calls wait for its load. */
type Waiting = { owner: string; waiters: Waiters };

/**
 * Limits the isolates of a process that load at a time. Owners take turns, so that one with many isolates does not delay
 * the others; those of an owner load in the order of their first calls.
 */
export class LoadGate {
  readonly #loads = new Set<Loading>();
  /** The waiting calls of each isolate. Only those of the next one are woken: there may be a thousand. */
  readonly #queue = new Map<Key, Waiting>();
  readonly #turns = new Turns();

  /** Wait until an isolate may load. Resolves to no load if another call loads it (`isLoaded`: or loaded it). */
  async enter(key: Key, owner: string, isLoaded: () => boolean): Promise<Load | undefined> {
    while (!isLoaded() && !this.#loadOf(key) && this.#isFull())
      await this.#waitersOf(key, owner).wait(LOOK_MS, Infinity);
    const load = this.#take(key, owner);
    this.#wake(key);
    this.#wakeNext();
    if (!isLoaded()) return load;
    load?.end();
    return undefined;
  }

  /** Begin a load, or the one that was reserved; undefined if another call has begun it. */
  #take(key: Key, owner: string): Load | undefined {
    const loading = this.#loadOf(key) ?? this.#reserve(key, owner);
    if (!loading.isReserved) return undefined;
    loading.isReserved = false;
    return new Load(() => {
      if (this.#loads.delete(loading)) this.#wakeNext();
    });
  }

  #reserve(key: Key, owner: string): Loading {
    this.#turns.take(owner);
    const loading = { key, startedMs: Date.now(), isReserved: true };
    this.#loads.add(loading);
    return loading;
  }

  #loadOf(key: Key): Loading | undefined {
    return [...this.#loads].find((loading) => loading.key === key);
  }

  #isFull(): boolean {
    const oldestMs = Date.now() - MAX_LOAD_MS;
    for (const loading of this.#loads)
      if (loading.startedMs < oldestMs) this.#loads.delete(loading);
    return this.#loads.size >= MAX_LOADING;
  }

  #waitersOf(key: Key, owner: string): Waiters {
    const waiting = this.#queue.get(key) ?? { owner, waiters: new Waiters() };
    this.#queue.set(key, waiting);
    return waiting.waiters;
  }

  #wake(key: Key): void {
    const waiting = this.#queue.get(key);
    this.#queue.delete(key);
    waiting?.waiters.wake();
  }

  /** Give a free place to the next waiting isolate: no later call may take it meanwhile. */
  #wakeNext(): void {
    if (this.#isFull()) return;
    const next = this.#next();
    if (!next) return;
    if (!this.#loadOf(next.key)) this.#reserve(next.key, next.owner);
    this.#wake(next.key);
  }

  /** The first waiting isolate of the owner whose last turn was longest ago. */
  #next(): { key: Key; owner: string } | undefined {
    let next: { key: Key; owner: string } | undefined;
    for (const [key, { owner }] of this.#queue)
      if (!next || this.#turns.of(owner) < this.#turns.of(next.owner)) next = { key, owner };
    return next;
  }
}

/** An isolate that loads. */
export class Load {
  readonly #end: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(end: () => void) {
    this.#end = end;
  }

  /** Its code was read, and compiles next. */
  read(): void {
    this.#timer = setTimeout(this.#end, COMPILATION_MS);
  }

  /** Its first call ended. */
  end(): void {
    clearTimeout(this.#timer);
    this.#end();
  }
}
