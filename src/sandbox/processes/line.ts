import { tenantOf } from "#domain/confinement.ts";
import { Silence } from "#domain/silence.ts";

import { Turns } from "./turns.ts";
import { Waiters } from "./waiters.ts";

/** Poll interval of a waiting call, in case no event wakes it; longer in a long line. */
const LOOK_MS = 500;

/** Interval at which the caller of a call shows that it still runs, */
const ALIVE_MS = 500;

/** and the silence after which it does not: a caller ends without notice, as when its client hangs up. */
const GONE_MS = 5000;

type Call = {
  /** The `codeKey` of its code. */
  key: string;
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
  /** The number of the process in which it runs, or ran until that ended; undefined: it waits. */
  process: number | undefined;
  /** Whether its process was lost while it ran beside others. */
  isShared = false;
  /** Whether it yielded long enough not to be the likely cause: the next one need not wait for its end. */
  hasYielded = false;
  readonly waiters = new Waiters();
  readonly caller = new Silence(Date.now(), ALIVE_MS);
  #isOver = false;

  constructor(call: T, isAlone: boolean) {
    this.call = call;
    this.isAlone = isAlone;
  }

  release(): void {
    this.isReleased = true;
    this.waiters.wake();
  }

  /** Show that the caller still runs, until `end`. */
  async keepAlive(): Promise<void> {
    while (!this.#isOver) {
      this.caller.answered();
      await scheduler.wait(ALIVE_MS);
    }
  }

  end(): void {
    this.#isOver = true;
  }
}

/** Calls that run sequentially. The next call begins when one yields, unless one of both must run alone. */
export class Line<E extends Entry<Call>> implements Iterable<E> {
  readonly #dropped: (entry: E) => void;
  readonly #entries = new Set<E>();
  readonly #turns = new Turns();
  /** The number of the newest process that has ended, or is about to: nothing runs in it and in those before. */
  #endedProcess = 0;
  #lookedMs = 0;

  /** `dropped`: called for each call that is dropped because its caller is gone. */
  constructor(dropped: (entry: E) => void) {
    this.#dropped = dropped;
  }

  get size(): number {
    return this.#entries.size;
  }

  [Symbol.iterator](): Iterator<E> {
    return this.#entries.values();
  }

  delete(entry: E): void {
    this.#entries.delete(entry);
    this.#wakeNext();
  }

  /** Resolves to true at a call's turn, to false if it was released. Rejects when nobody waits for it any more. */
  async turn(entry: E): Promise<boolean> {
    while (!entry.isReleased) {
      this.dropGone();
      // Also again, if it was dropped because its caller was held up.
      this.#entries.add(entry);
      if (this.#isNext(entry)) return true;
      const withinMs = Math.max(LOOK_MS, this.#entries.size);
      await entry.waiters.wait(withinMs, entry.call.expiresMs);
    }
    return false;
  }

  /** Begin a call in a process. False if it is not its turn any more, or the process has ended: nothing has changed then. */
  begin(entry: E, process: number): boolean {
    if (this.hasEnded(process) || !this.#isNext(entry)) return false;
    entry.process = process;
    entry.hasYielded = false;
    entry.isShared = false;
    this.#turns.take(tenantOf(entry.call.key));
    return true;
  }

  /** The process of a call ends: nothing runs in it any more. Returns whether the call ran beside others, and marks those. */
  lose(entry: E, process: number): boolean {
    this.#endedProcess = Math.max(this.#endedProcess, process);
    const others = this.besides(entry);
    for (const one of others) one.isShared = true;
    this.#wakeNext();
    return entry.isShared || others.length > 0;
  }

  hasEnded(process: number): boolean {
    return process <= this.#endedProcess;
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
    entry.process = undefined;
    this.#wakeNext();
  }

  /** The calls that run beside one, or did when their process ended. */
  besides(entry: E): E[] {
    if (entry.process === undefined) return [];
    return [...this.#entries].filter((one) => one !== entry && one.process === entry.process);
  }

  /** Drop the calls whose callers are gone: nobody else would end them. */
  dropGone(): void {
    const nowMs = Date.now();
    if (Math.abs(nowMs - this.#lookedMs) < ALIVE_MS) return;
    this.#lookedMs = nowMs;
    for (const one of this.#entries) if (one.caller.look(nowMs) > GONE_MS) this.#drop(one);
  }

  #drop(entry: E): void {
    // Its code may loop: nothing may run in this process again.
    if (entry.process !== undefined) this.lose(entry, entry.process);
    // If the caller was only held up, the loss of the process is not its code's fault.
    entry.isShared = true;
    this.delete(entry);
    this.#dropped(entry);
  }

  #wakeNext(): void {
    this.#first()?.waiters.wake();
  }

  #isNext(entry: E): boolean {
    return this.#mayBegin(entry) && this.#first() === entry;
  }

  /** Whether a call runs in a process. */
  #hasBegun({ process }: E): boolean {
    return process !== undefined && !this.hasEnded(process);
  }

  #mayBegin(entry: E): boolean {
    for (const one of this.#entries)
      if (this.#hasBegun(one) && (one.isAlone || entry.isAlone || !one.hasYielded)) return false;
    return true;
  }

  /**
   * Tenants take turns; the calls of one run in the order of their start. A call whose process has ended counts before it
   * knows: otherwise one that was lost beside it would run first.
   */
  #first(): E | undefined {
    let first: E | undefined;
    for (const entry of this.#entries)
      if (!this.#hasBegun(entry) && (!first || this.#isBefore(entry.call, first.call)))
        first = entry;
    return first;
  }

  #isBefore(a: Call, b: Call): boolean {
    return (this.#turnOf(a) - this.#turnOf(b) || a.startedMs - b.startedMs) < 0;
  }

  /** Calls that were lost together run in the order of time: the cause began before the process was blocked. */
  #turnOf({ key, place }: Call): number {
    return place === undefined ? this.#turns.of(tenantOf(key)) : 0;
  }
}
