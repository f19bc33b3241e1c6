import { isCodeOf } from "#domain/confinement.ts";
import { RanTooLong, SandboxDied } from "#domain/sandbox-loss.ts";
import { log } from "#telemetry/log.ts";

import type { Lane, SandboxProcess } from "./contract.ts";
import { Entry, Line } from "./line.ts";
import { isLost } from "./loss.ts";
import { Waiters } from "./waiters.ts";
import { type Room, Watch } from "./watch.ts";

/** Poll interval of calls that wait for the end of a trial, in case no event wakes them. */
const LOOK_MS = 500;

/** Computing time without a response after which the only code in a process is identified as the one that blocked the former. */
const CAUGHT_MS = 300;

/** Computing time without a response after which code always runs in quarantine. */
const HEAVY_MS = 2000;

/** Maximum times that a call runs again because its process was killed from outside. */
const MAX_OUTSIDE_KILLS = 2;

/** Time before the next request to a supervisor without a process. */
const PAUSE_MS = 1000;

/** The owner of a call, and the maximum time of its code without yielding. */
export type Suspect = {
  /** The subject to confine if it is the cause: a source, or code. */
  key: string;
  owner: string;
  /** The place where the call was in progress when its process was lost; undefined: none. */
  place: number | undefined;
  startedMs: number;
  /** The time from which nobody waits for the call. */
  expiresMs: number;
  cpuMs: number;
};

/**
 * The outcome of a call. `released`: it must run elsewhere, because another call is the cause, or its code is confined.
 */
export type Trial<T> = { result: T } | "released";

/** Ends a trial after the loss of a process, if the cause is unknown or another call. */
const UNCLEAR = Symbol("unclear");

class SuspectEntry extends Entry<Suspect> {
  /** Whether the process was lost while it ran beside others. */
  isShared = false;
  /** Whether it blocked its process for long. */
  isHeavy = false;
  /** Whether its process was killed, so that it runs elsewhere. */
  isMoved = false;
  /** The number of its processes that were killed from outside. */
  outsideKills = 0;
}

type SuspectLine = Line<SuspectEntry>;

type Hold = { calls: number; waiters: Waiters };

/**
 * Runs calls in isolation: those in progress when a process was lost, until the cause is found, and those of code that
 * was found to be a cause.
 */
export class Quarantine {
  readonly #confine: (key: string) => void;
  readonly #lines: Record<Lane, SuspectLine> = {
    trial: new Line(),
    confined: new Line(),
  };
  readonly #onTrial = new Map<string, Hold>();

  /** `confine`: records code that always runs in quarantine. */
  constructor(confine: (key: string) => void) {
    this.#confine = confine;
  }

  /** The number of calls that run or wait in a lane. */
  load(lane: Lane): number {
    return this.#lines[lane].size;
  }

  /** The number of an owner's confined calls of code without a source or workflow, such as saves, that run or wait. */
  evaluations(owner: string): number {
    const keys = [...this.#lines.confined].map(({ call }) => call.key);
    const own = keys.filter((key) => isCodeOf(owner, key));
    // Calls of the same code wait for the end of the first.
    const waiting = [...new Set(own)].map((key) => this.#onTrial.get(key)?.waiters.size ?? 0);
    return waiting.reduce((sum, count) => sum + count, own.length);
  }

  /**
   * Resolves when no call of this code waits for its trial: until then later ones must not run either. Rejects with
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
   * Run a call in isolation. Rejects with `RanTooLong` or `SandboxDied` if it crashed its process, with
   * `IsolateTimeout` if nobody waits for it any more before its turn, and with the error of the call itself.
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

  /** Keep code on trial until the first call of the returned function. */
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
    const line = this.#lines[room.lane];
    await hasProcess(room, entry.call.expiresMs);
    const watch = new Watch(room, {
      yielded: () => {
        settle();
        line.yielded(entry);
      },
      silent: (computedMs) => this.#silent(entry, room, computedMs),
    });
    try {
      return await watch.during(call(room.process));
    } catch (error) {
      if (!isLost(error)) throw error;
      if (this.#isShared(entry, line) || entry.isMoved) return UNCLEAR;
      if (!watch.hasKilled && (await wasKilledOutside(entry, room))) return UNCLEAR;
      throw this.#blame(entry, line, watch.hasKilled);
    }
  }

  /** Confine the code that ended its process, and return the error of its call. */
  #blame(entry: SuspectEntry, line: SuspectLine, isBlocked: boolean): RanTooLong | SandboxDied {
    const { owner, key } = entry.call;
    this.#release(entry, line);
    this.#confineAll(key);
    const outcome = isBlocked ? "blocked" : "died";
    log("sandbox_lost", { owner_id: owner, subject_id: key, outcome });
    return isBlocked ? new RanTooLong() : new SandboxDied();
  }

  /** Handle a process that has computed for a time without a response. Returns whether to kill it. */
  #silent(entry: SuspectEntry, { lane }: Room, computedMs: number): boolean {
    const line = this.#lines[lane];
    if (computedMs < CAUGHT_MS) return false;
    if (line.besides(entry).length > 0) return computedMs > HEAVY_MS;
    this.#release(entry, line);
    if (computedMs <= HEAVY_MS) return false;
    if (!entry.isHeavy) this.#confineAll(entry.call.key);
    entry.isHeavy = true;
    if (computedMs > entry.call.cpuMs) return true;
    // If others wait for their trial, it gets its time in a lane for confined code.
    entry.isMoved = lane === "trial" && [...line].some((one) => !one.isReleased);
    return entry.isMoved;
  }

  /** Whether other calls ran when an entry's process was lost. The first call that fails with it marks them. */
  #isShared(entry: SuspectEntry, line: SuspectLine): boolean {
    const others = line.besides(entry);
    for (const other of others) other.isShared = true;
    const isShared = others.length > 0 || entry.isShared;
    entry.isShared = false;
    return isShared;
  }

  /** Release the calls that waited for the cause of a loss, except other calls of the same code. */
  #release({ call: { place, key } }: SuspectEntry, line: SuspectLine): void {
    if (place === undefined) return;
    for (const one of line) if (one.call.place === place && one.call.key !== key) one.release();
  }

  /** Move this code to its own lane from now on, including its calls that wait for their trial. */
  #confineAll(key: string): void {
    this.#confine(key);
    for (const one of this.#lines.trial) if (one.call.key === key) one.release();
  }
}

/** Whether somebody else killed the process of a call, which is not to blame. The same again and again is its effect. */
async function wasKilledOutside(entry: SuspectEntry, { lane, supervisor }: Room): Promise<boolean> {
  if (entry.outsideKills >= MAX_OUTSIDE_KILLS) return false;
  const reason = await supervisor.lossOf(lane).catch(() => undefined);
  if (reason !== "killed") return false;
  entry.outsideKills += 1;
  return true;
}

/** Ensure that the process of a lane runs. Rejects if it does not start while the caller waits. */
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
