import { isUnsaved, subjectOf, tenantOf } from "#domain/confinement.ts";
import { RanTooLong, SandboxDied } from "#domain/sandbox-loss.ts";
import { log } from "#telemetry/log.ts";

import type { Lane, SandboxProcess } from "./contract.ts";
import { Line } from "./line.ts";
import { isLost } from "./loss.ts";
import { type Room, startIn, supervised } from "./room.ts";
import { type Suspect, SuspectEntry } from "./suspect.ts";
import { Waiters } from "./waiters.ts";
import { Watch } from "./watch.ts";

/** Poll interval of calls that wait for the end of a trial, in case no event wakes them. */
const LOOK_MS = 500;

/** Computing time without a response after which later calls of the code wait. */
const SUSPECTED_MS = 200;

/** Computing time without a response after which the only code in a process is identified as the one that blocked the former. */
const CAUGHT_MS = 300;

/** Computing time without a response after which code always runs in quarantine. */
const HEAVY_MS = 2000;

/** Maximum times that a call runs again because its process was killed from outside. */
const MAX_OUTSIDE_KILLS = 2;

/**
 * The outcome of a call. `released`: it must run elsewhere, because another call is the cause, or its code is confined.
 */
export type Trial<T> = { result: T } | "released";

/** Ends a trial after the loss of a process, if the cause is unknown or another call. */
const UNCLEAR = Symbol("unclear");

type SuspectLine = Line<SuspectEntry>;

/** The code that always runs in quarantine, by its `codeKey`. */
type Confining = { confine: (key: string) => void; isConfined: (key: string) => boolean };

/**
 * Runs calls in isolation: those in progress when a process was lost, until the cause is found, and those of code that
 * was found to be a cause.
 */
export class Quarantine {
  readonly #confinement: Confining;
  readonly #lines: Record<Lane, SuspectLine> = {
    trial: new Line((entry) => this.#settle(entry)),
    confined: new Line((entry) => this.#settle(entry)),
  };
  /** The calls that wait for the trial of their code, by its key. */
  readonly #waiting = new Map<string, Waiters>();

  constructor(confinement: Confining) {
    this.#confinement = confinement;
  }

  /** The number of calls that run or wait in a lane. */
  load(lane: Lane): number {
    this.#lines[lane].dropGone();
    return this.#lines[lane].size;
  }

  /** The number of an owner's confined calls of code without a source or workflow, such as saves, that run or wait. */
  evaluations(owner: string): number {
    this.#lines.confined.dropGone();
    const calls = [...this.#lines.confined].map(({ call }) => call);
    const own = calls
      .filter((call) => call.owner === owner)
      .map(({ key }) => key)
      .filter(isUnsaved);
    // Calls of the same code wait for the end of the first.
    const waiting = [...new Set(own)].map((key) => this.#waiting.get(key)?.size ?? 0);
    return waiting.reduce((sum, count) => sum + count, own.length);
  }

  /**
   * Resolves when no call of this code waits for its trial, and none of its tenant after one was caught: until then later
   * ones must not run either. Rejects with `IsolateTimeout` when nobody waits for the call any more.
   */
  async settled(key: string, expiresMs: number): Promise<void> {
    while (this.#isOnTrial(key)) {
      const waiters = this.#waiting.get(key) ?? new Waiters();
      this.#waiting.set(key, waiters);
      await waiters.wait(LOOK_MS, expiresMs);
    }
  }

  /**
   * Run a call in isolation. Rejects with `RanTooLong` or `SandboxDied` if it crashed its process, with
   * `IsolateTimeout` if nobody waits for it any more, and with the error of the call itself.
   */
  async run<T>(
    suspect: Suspect,
    room: Room,
    call: (process: SandboxProcess) => Promise<T>,
  ): Promise<Trial<T>> {
    const line = this.#lines[room.lane];
    const entry = new SuspectEntry(suspect, room.lane === "confined");
    void entry.keepAlive();
    try {
      while (await line.turn(entry)) {
        const { expiresMs } = suspect;
        const process = await startIn(room, expiresMs, (number) => line.hasEnded(number));
        if (!line.begin(entry, process)) continue;
        const result = await this.#during(entry, { room, process }, call);
        if (result !== UNCLEAR) return { result };
        line.retryAlone(entry);
        entry.isSettled = false;
      }
      return "released";
    } finally {
      entry.end();
      line.delete(entry);
      this.#settle(entry);
    }
  }

  #isOnTrial(key: string): boolean {
    for (const line of Object.values(this.#lines)) {
      line.dropGone();
      for (const one of line) if (!one.isSettled && one.holds(key)) return true;
    }
    return false;
  }

  #settle(entry: SuspectEntry): void {
    if (entry.isSettled) return;
    entry.isSettled = true;
    for (const [key, waiters] of this.#waiting)
      if (entry.holds(key)) {
        this.#waiting.delete(key);
        waiters.wake();
      }
  }

  /** Run a call in a process until one of both ends. */
  async #during<T>(
    entry: SuspectEntry,
    { room, process }: { room: Room; process: number },
    call: (process: SandboxProcess) => Promise<T>,
  ): Promise<T | typeof UNCLEAR> {
    const line = this.#lines[room.lane];
    const watch = this.#watch(entry, room, process);
    try {
      return await watch.during(call(room.process));
    } catch (error) {
      if (!isLost(error)) throw error;
      if (line.lose(entry, process) || entry.isMoved) return UNCLEAR;
      if (!watch.hasKilled && (await wasKilledOutside(entry, room, process))) return UNCLEAR;
      throw this.#blame(entry, line, watch.hasKilled);
    }
  }

  #watch(entry: SuspectEntry, room: Room, process: number): Watch {
    const line = this.#lines[room.lane];
    const stay = {
      process,
      expiresMs: entry.call.expiresMs,
      hasEnded: () => line.hasEnded(process),
      end: () => void line.lose(entry, process),
    };
    return new Watch(room, stay, {
      yielded: () => {
        // Code may yield before it loops: once that is the likely cause, only its end shows that it does not.
        if (entry.isAlone && room.lane === "trial") return;
        this.#settle(entry);
        line.yielded(entry);
      },
      silent: (computedMs) => this.#silent(entry, room, computedMs),
    });
  }

  /** Confine the code that ended its process, and return the error of its call. */
  #blame(entry: SuspectEntry, line: SuspectLine, isBlocked: boolean): RanTooLong | SandboxDied {
    const { owner, key } = entry.call;
    this.#release(entry, line);
    this.#confineAll(key);
    const outcome = isBlocked ? "blocked" : "died";
    log("sandbox_lost", { owner_id: owner, subject_id: subjectOf(key), outcome });
    return isBlocked ? new RanTooLong() : new SandboxDied();
  }

  /** Handle a process that has computed for a time without a response. Returns whether to kill it. */
  #silent(entry: SuspectEntry, { lane }: Room, computedMs: number): boolean {
    const line = this.#lines[lane];
    // It may have yielded before: its later calls wait again until it goes on to.
    if (computedMs >= SUSPECTED_MS) entry.isSettled = false;
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

  /**
   * Release the calls that waited for the cause of a loss, except those of the same tenant: who has code that blocks its
   * process may have more of it.
   */
  #release({ call: { place, key } }: SuspectEntry, line: SuspectLine): void {
    if (place === undefined) return;
    const tenant = tenantOf(key);
    for (const one of line) {
      if (one.call.place !== place) continue;
      if (tenantOf(one.call.key) === tenant) one.isHeldBack = true;
      else one.release();
    }
  }

  /** Move this code to its own lane from now on, including calls that wait for their trial. */
  #confineAll(key: string): void {
    this.#confinement.confine(key);
    for (const one of this.#lines.trial)
      if (this.#confinement.isConfined(one.call.key)) one.release();
  }
}

/** Whether somebody else killed the process of a call, which is not to blame. The same again and again is its effect. */
async function wasKilledOutside(
  entry: SuspectEntry,
  { lane, supervisor }: Room,
  process: number,
): Promise<boolean> {
  if (entry.outsideKills >= MAX_OUTSIDE_KILLS) return false;
  const loss = supervised(supervisor.lossOf(lane, process), entry.call.expiresMs);
  if ((await loss.catch(() => undefined)) !== "killed") return false;
  entry.outsideKills += 1;
  return true;
}
