import { RanTooLong, SandboxDied } from "#domain/sandbox-loss.ts";
import { log } from "#telemetry/log.ts";

import type { Lane, SandboxProcess } from "./contract.ts";
import { Entry, Line } from "./line.ts";
import { isLost } from "./loss.ts";
import { Waiters } from "./waiters.ts";
import { type Room, Watch } from "./watch.ts";

/** How often a call looks whether code is still on trial, also where nothing wakes it. */
const LOOK_MS = 500;

/** A process that does not respond for so long identifies the code that held up the one before: the code that runs in it alone. */
const CAUGHT_MS = 300;

/** Code that holds up a process for so long goes straight to quarantine from then on. */
const HEAVY_MS = 2000;

/** How long a supervisor that has no process to offer is left alone. */
const PAUSE_MS = 1000;

/** The owner of a call, and how long its code may compute without yielding. */
export type Suspect = {
  /** The subject to confine if it is the cause: a source, or code. */
  key: string;
  owner: string;
  /** The place where the call was under way as its process was lost; undefined: none. */
  place: number | undefined;
  startedMs: number;
  /** When nobody waits for the call any more. */
  expiresMs: number;
  cpuMs: number;
};

/** The outcome of a call; `released`: it must run elsewhere, because another one is the cause, or its code is confined. */
export type Trial<T> = { result: T } | "released";

/** Ends where a process was lost, and it is unclear by which call, or known to be by another one. */
const UNCLEAR = Symbol("unclear");

class SuspectEntry extends Entry<Suspect> {
  /** Whether the process was lost while it ran beside others. */
  isShared = false;
  /** Whether it held up its process for long. */
  isHeavy = false;
  /** Whether its process was killed to have it run elsewhere. */
  isMoved = false;
}

type SuspectLine = Line<SuspectEntry>;

type Hold = { calls: number; waiters: Waiters };

/**
 * Runs calls apart from all others: those that were under way where a process was lost, until the cause is found, and
 * those of code that was found to be one.
 */
export class Quarantine {
  readonly #confine: (key: string) => void;
  readonly #lines: Record<Lane, SuspectLine> = {
    trial: new Line(),
    confined: new Line(),
  };
  readonly #onTrial = new Map<string, Hold>();

  /** `confine`: has code run in quarantine from the start. */
  constructor(confine: (key: string) => void) {
    this.#confine = confine;
  }

  /** How many calls are in a lane, or wait for their turn there. */
  load(lane: Lane): number {
    return this.#lines[lane].size;
  }

  /**
   * Resolves when no call of this code waits for its trial: until then the next ones must not run either. Rejects with
   * `IsolateTimeout` when nobody waits for the call any more.
   */
  async settled(key: string, expiresMs: number): Promise<void> {
    for (;;) {
      const hold = this.#onTrial.get(key);
      if (!hold) return;
      await hold.waiters.wait(LOOK_MS, expiresMs);
    }
  }

  /**
   * Run a call apart. Rejects with `RanTooLong` or `SandboxDied` where it brought down its process, with `IsolateTimeout`
   * where nobody waits for it any more before it is its turn, and with what the call rejects with.
   */
  async run<T>(
    suspect: Suspect,
    room: Room,
    call: (process: SandboxProcess) => Promise<T>,
  ): Promise<Trial<T>> {
    const line = this.#lines[room.lane];
    const entry = new SuspectEntry(suspect, room.lane === "confined");
    const settle = this.#hold(suspect.key);
    line.add(entry);
    try {
      while (await line.turn(entry)) {
        const result = await this.#begin(entry, room, { call, settle });
        if (result !== UNCLEAR) return { result };
        line.retryAlone(entry);
      }
      return "released";
    } finally {
      line.delete(entry);
      settle();
    }
  }

  /** Keep code on trial until what is returned is called first. */
  #hold(key: string): () => void {
    const hold = this.#onTrial.get(key) ?? { calls: 0, waiters: new Waiters() };
    this.#onTrial.set(key, hold);
    hold.calls += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      hold.calls -= 1;
      if (hold.calls > 0) return;
      this.#onTrial.delete(key);
      hold.waiters.wake();
    };
  }

  async #begin<T>(
    entry: SuspectEntry,
    room: Room,
    { call, settle }: { call: (process: SandboxProcess) => Promise<T>; settle: () => void },
  ): Promise<T | typeof UNCLEAR> {
    const { owner, key, expiresMs } = entry.call;
    const line = this.#lines[room.lane];
    await hasProcess(room, expiresMs);
    const watch = new Watch(room, {
      yielded: () => {
        settle();
        line.yielded(entry);
      },
      silent: (silentMs) => this.#silent(entry, room, silentMs),
    });
    try {
      return await watch.during(call(room.process));
    } catch (error) {
      if (!isLost(error)) throw error;
      if (this.#isShared(entry, line) || entry.isMoved) return UNCLEAR;
      this.#release(entry, line);
      this.#confineAll(key);
      const outcome = watch.hasKilled ? "blocked" : "died";
      log("sandbox_lost", { owner_id: owner, subject_id: key, outcome });
      throw watch.hasKilled ? new RanTooLong() : new SandboxDied();
    }
  }

  /** A process has been silent for a time. Returns whether it is to be killed. */
  #silent(entry: SuspectEntry, { lane }: Room, silentMs: number): boolean {
    const line = this.#lines[lane];
    if (silentMs < CAUGHT_MS) return false;
    if (line.besides(entry).length > 0) return silentMs > HEAVY_MS;
    this.#release(entry, line);
    if (silentMs <= HEAVY_MS) return false;
    if (!entry.isHeavy) this.#confineAll(entry.call.key);
    entry.isHeavy = true;
    if (silentMs > entry.call.cpuMs) return true;
    // Where others wait for their trial, it has its time among the confined.
    entry.isMoved = lane === "trial" && [...line].some((one) => !one.isReleased);
    return entry.isMoved;
  }

  /** Whether others ran as an entry's process was lost. The first call that fails by it marks them. */
  #isShared(entry: SuspectEntry, line: SuspectLine): boolean {
    const others = line.besides(entry);
    for (const other of others) other.isShared = true;
    const isShared = others.length > 0 || entry.isShared;
    entry.isShared = false;
    return isShared;
  }

  /** Let those go that waited for the cause of a loss to be found, but for other calls of the same code. */
  #release({ call: { place, key } }: SuspectEntry, line: SuspectLine): void {
    if (place === undefined) return;
    for (const one of line) if (one.call.place === place && one.call.key !== key) one.release();
  }

  /** From now on this code runs in its own lane, also the calls that wait for its trial. */
  #confineAll(key: string): void {
    this.#confine(key);
    for (const one of this.#lines.trial) if (one.call.key === key) one.release();
  }
}

/** Have the process of a lane running. Rejects where it does not start for as long as somebody waits for the call. */
async function hasProcess({ lane, supervisor }: Room, expiresMs: number): Promise<void> {
  for (;;) {
    try {
      return await supervisor.start(lane);
    } catch (error) {
      if (Date.now() > expiresMs) throw error;
      await scheduler.wait(PAUSE_MS);
    }
  }
}
