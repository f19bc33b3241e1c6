import { RanTooLong, SandboxDied } from "#domain/sandbox-loss.ts";
import { log } from "#telemetry/log.ts";

import type { Lane, SandboxProcess, Supervisor } from "./contract.ts";

/** How often what waits for something looks whether it is there. */
const LOOK_MS = 20;
const MAX_LOOK_MS = 500;

/** A process that does not respond for so long has found who held up the one before: whoever runs in it, alone. */
const CAUGHT_MS = 300;

/** Code that holds up a process for so long goes straight to quarantine from then on. */
const HEAVY_MS = 2000;

/** For how long code is confined that held up or ended a process. */
const CONFINED_MS = 24 * 60 * 60 * 1000;

/** A call that yielded for so long is most likely not the cause: the next one need not wait until it ends. */
const YIELDED_MS = 500;

/** Whose call it is, and how long its code may compute without yielding. */
export type Suspect = {
  /** What is confined where it turns out to be the cause: a source, or code. */
  key: string;
  owner: string;
  /** The place where the call was under way as its process was lost; undefined: none. */
  place: number | undefined;
  startedMs: number;
  cpuMs: number;
};

/** Where a call runs. */
type Room = { lane: Lane; process: SandboxProcess; supervisor: Supervisor };

/** What a call came to; `released`: it did not run, because another one was found to be the cause. */
export type Trial<T> = { result: T } | "released";

type Entry = Suspect & {
  /** Whether nothing may run beside it. */
  isAlone: boolean;
  isReleased: boolean;
  /** Whether the process was lost while it ran beside others. */
  isShared: boolean;
  /** Since when it runs; undefined: it waits. */
  runsSinceMs?: number;
};

/** Ends where several calls were under way as their process was lost: each is tried once more, alone. */
const UNCLEAR = Symbol("unclear");

/**
 * Runs calls apart from all others: those that were under way where a process was lost, until the cause is found, and
 * those of code that was found to be one. It is kept in memory: after a restart, a cause has to be found once more.
 */
export class Quarantine {
  readonly #entries: Record<Lane, Set<Entry>> = { trial: new Set(), confined: new Set() };
  readonly #confinedUntil = new Map<string, number>();
  readonly #onTrial = new Map<string, number>();
  readonly #lastTurns = new Map<string, number>();

  /** Whether code has to run in quarantine from the start. */
  isConfined(key: string): boolean {
    const until = this.#confinedUntil.get(key) ?? 0;
    if (until > Date.now()) return true;
    this.#confinedUntil.delete(key);
    return false;
  }

  /** Resolves when no call of this code waits for its trial: until then the next ones must not run either. */
  async settled(key: string): Promise<void> {
    while (this.#onTrial.has(key)) await scheduler.wait(LOOK_MS);
  }

  /**
   * Run a call apart. Rejects with `RanTooLong` or `SandboxDied` where it brought down its process, and with what the
   * call rejects with.
   */
  async run<T>(
    suspect: Suspect,
    room: Room,
    call: (process: SandboxProcess) => Promise<T>,
  ): Promise<Trial<T>> {
    const entry: Entry = {
      ...suspect,
      isAlone: room.lane === "confined",
      isReleased: false,
      isShared: false,
    };
    const settle = this.#hold(suspect.key);
    const entries = this.#entries[room.lane];
    entries.add(entry);
    try {
      for (;;) {
        while (!this.#isNext(entry, entries)) {
          if (entry.isReleased) return "released";
          // The longer the line is, the longer it takes anyway: looking must not take the time.
          await scheduler.wait(Math.min(MAX_LOOK_MS, LOOK_MS * entries.size));
        }
        const result = await this.#begin(entry, room, { call, settle });
        if (result !== UNCLEAR) return { result };
        entry.isAlone = true;
        delete entry.runsSinceMs;
      }
    } finally {
      entries.delete(entry);
      settle();
    }
  }

  /** Keep code on trial until what is returned is called first. */
  #hold(key: string): () => void {
    let isHeld = true;
    this.#onTrial.set(key, (this.#onTrial.get(key) ?? 0) + 1);
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.#onTrial.get(key) ?? 1) - 1;
      if (left === 0) this.#onTrial.delete(key);
      else this.#onTrial.set(key, left);
    };
  }

  /** Whether it is a call's turn: owners take turns, and of an owner's calls that which began first comes first. */
  #isNext(entry: Entry, entries: ReadonlySet<Entry>): boolean {
    const running = [...entries].filter(({ runsSinceMs }) => runsSinceMs !== undefined);
    if (!running.every((one) => !one.isAlone && !entry.isAlone && hasYielded(one))) return false;
    const turnOf = ({ owner, place }: Entry): number =>
      // Of calls that were lost together only time decides: the cause began before the process was held up.
      place === undefined ? (this.#lastTurns.get(owner) ?? 0) : 0;
    const [first] = [...entries]
      .filter(({ runsSinceMs }) => runsSinceMs === undefined)
      .toSorted((a, b) => turnOf(a) - turnOf(b) || a.startedMs - b.startedMs);
    return first === entry;
  }

  async #begin<T>(
    entry: Entry,
    room: Room,
    { call, settle }: { call: (process: SandboxProcess) => Promise<T>; settle: () => void },
  ): Promise<T | typeof UNCLEAR> {
    entry.runsSinceMs = Date.now();
    this.#lastTurns.set(entry.owner, entry.runsSinceMs);
    await room.supervisor.start(room.lane);
    const watch = new Watch(room, {
      yielded: settle,
      silent: (silentMs) => this.#silent(entry, room, silentMs),
    });
    try {
      return await watch.during(call(room.process));
    } catch (error) {
      if (!isLost(error)) throw error;
      if (this.#isShared(entry, room.lane)) return UNCLEAR;
      this.#release(entry, room.lane);
      this.#confine(entry.key);
      log("sandbox_lost", {
        owner_id: entry.owner,
        subject_id: entry.key,
        outcome: watch.hasKilled ? "blocked" : "died",
      });
      throw watch.hasKilled ? new RanTooLong() : new SandboxDied();
    }
  }

  /** A process has been silent for a time. Returns whether it is to be killed. */
  #silent(entry: Entry, { lane }: Room, silentMs: number): boolean {
    if (silentMs < CAUGHT_MS) return false;
    if (this.#besides(entry, lane).length > 0) return silentMs > HEAVY_MS;
    this.#release(entry, lane);
    if (silentMs > HEAVY_MS) this.#confine(entry.key);
    return silentMs > entry.cpuMs;
  }

  /** Whether others ran as an entry's process was lost. Whoever hears of it first tells them. */
  #isShared(entry: Entry, lane: Lane): boolean {
    const others = this.#besides(entry, lane);
    for (const other of others) other.isShared = true;
    const isShared = others.length > 0 || entry.isShared;
    entry.isShared = false;
    return isShared;
  }

  #besides(entry: Entry, lane: Lane): Entry[] {
    return [...this.#entries[lane]].filter((one) => one !== entry && one.runsSinceMs !== undefined);
  }

  /** Let those go that waited for the cause of a loss to be found, but for other calls of the same code. */
  #release({ place, key }: Entry, lane: Lane): void {
    if (place === undefined) return;
    for (const one of this.#entries[lane])
      if (one.place === place && one.key !== key) one.isReleased = true;
  }

  /** From now on this code runs in its own lane, also what waits for its trial. */
  #confine(key: string): void {
    this.#confinedUntil.set(key, Date.now() + CONFINED_MS);
    for (const one of this.#entries.trial) if (one.key === key) one.isReleased = true;
  }
}

function hasYielded({ runsSinceMs = Infinity }: Entry): boolean {
  return Date.now() - runsSinceMs > YIELDED_MS;
}

type Watched = {
  /** Told once, when the code has yielded for long enough. */
  yielded: () => void;
  /** Told for how long the process has been silent; returns whether to kill it. */
  silent: (silentMs: number) => boolean;
};

/** Asks a process again and again whether its code yields. */
class Watch {
  readonly #room: Room;
  readonly #watched: Watched;
  readonly #startedMs = Date.now();
  #answeredMs = Date.now();
  #isAsking = false;
  #isOver = false;
  hasKilled = false;

  constructor(room: Room, watched: Watched) {
    this.#room = room;
    this.#watched = watched;
  }

  /** Watch for as long as a call takes. */
  async during<T>(call: Promise<T>): Promise<T> {
    const watching = this.#watch();
    try {
      return await call;
    } finally {
      this.#isOver = true;
      await watching;
    }
  }

  async #watch(): Promise<void> {
    for (;;) {
      void this.#ask();
      await scheduler.wait(LOOK_MS);
      if (this.#isOver) return;
      const nowMs = Date.now();
      const silentMs = nowMs - this.#answeredMs;
      if (silentMs < CAUGHT_MS && nowMs - this.#startedMs > YIELDED_MS) this.#watched.yielded();
      if (!this.#watched.silent(silentMs)) continue;
      this.hasKilled = true;
      await this.#room.supervisor.kill(this.#room.lane);
      return;
    }
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      await this.#room.process.ping();
      this.#answeredMs = Date.now();
      this.#isAsking = false;
    } catch {
      // The process is gone, which the call hears as well.
    }
  }
}

/** Whether a call failed because the process that it went to is gone. Errors of code come back as data. */
export function isLost(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, "retryable") === true;
}
