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

/** Limits the isolates of a process that load at a time. */
export class LoadGate {
  /** The time at which each load started. */
  readonly #loads = new Map<symbol, number>();
  readonly #waiters = new Waiters();

  /** Wait until an isolate may load. `isLoaded`: whether another call loaded it meanwhile; then no load starts. */
  async enter(isLoaded: () => boolean): Promise<Load | undefined> {
    while (!isLoaded() && this.#isFull()) await this.#waiters.wait(LOOK_MS, Infinity);
    if (isLoaded()) return undefined;
    const id = Symbol("load");
    this.#loads.set(id, Date.now());
    return new Load(() => {
      if (this.#loads.delete(id)) this.#waiters.wake();
    });
  }

  #isFull(): boolean {
    const oldestMs = Date.now() - MAX_LOAD_MS;
    for (const [id, startedMs] of this.#loads) if (startedMs < oldestMs) this.#loads.delete(id);
    return this.#loads.size >= MAX_LOADING;
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
