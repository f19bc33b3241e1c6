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

/** Limits the isolates of a process that load at a time. They load in the order of their first calls. */
export class LoadGate {
  readonly #loads = new Set<Loading>();
  /** The waiting calls of each isolate. Only those of the next one are woken: there may be a thousand. */
  readonly #queue = new Map<Key, Waiters>();

  /** Wait until an isolate may load. Resolves to no load if another call loads it (`isLoaded`: or loaded it). */
  async enter(key: Key, isLoaded: () => boolean): Promise<Load | undefined> {
    while (!isLoaded() && !this.#loadOf(key) && this.#isFull())
      await this.#waitersOf(key).wait(LOOK_MS, Infinity);
    const load = this.#take(key);
    this.#wake(key);
    this.#wakeNext();
    if (!isLoaded()) return load;
    load?.end();
    return undefined;
  }

  /** Begin a load, or the one that was reserved; undefined if another call has begun it. */
  #take(key: Key): Load | undefined {
    const loading = this.#loadOf(key) ?? this.#reserve(key);
    if (!loading.isReserved) return undefined;
    loading.isReserved = false;
    return new Load(() => {
      if (this.#loads.delete(loading)) this.#wakeNext();
    });
  }

  #reserve(key: Key): Loading {
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

  #waitersOf(key: Key): Waiters {
    const waiters = this.#queue.get(key) ?? new Waiters();
    this.#queue.set(key, waiters);
    return waiters;
  }

  #wake(key: Key): void {
    const waiters = this.#queue.get(key);
    this.#queue.delete(key);
    waiters?.wake();
  }

  /** Give a free place to the first waiting isolate: no later call may take it meanwhile. */
  #wakeNext(): void {
    const [next] = this.#queue.keys();
    if (next === undefined || this.#isFull()) return;
    if (!this.#loadOf(next)) this.#reserve(next);
    this.#wake(next);
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
