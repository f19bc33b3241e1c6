import { IsolateTimeout } from "#domain/isolate-timeout.ts";
import { Silence } from "#domain/silence.ts";
import { withTimeout } from "#domain/timeout.ts";

import { Computing } from "./computing.ts";
import { ProcessLost } from "./loss.ts";
import type { Room } from "./room.ts";

/** Interval of the probes that check whether a process yields, and the maximum silence between two of them. */
const LOOK_MS = 20;
const MAX_LOOK_MS = 100;

/** The same for the time of the whole call: longer ones, as while the machine sleeps, do not count against its deadline. */
const MAX_PAUSE_MS = 1000;

/** A process that responded so recently yields, */
const LATELY_MS = 300;

/** and code that yielded for so long most likely goes on to. */
const YIELDED_MS = 500;

/** Maximum time to wait for a kill: the next start repeats it if it fails. */
const KILL_MS = 2000;

/** The process of a call. */
type Stay = {
  /** Its number. */
  process: number;
  /** The time from which nobody waits for the call. */
  expiresMs: number;
  /** Whether the process has ended, or is about to. */
  hasEnded: () => boolean;
  /** Record its end. */
  end: () => void;
};

type Watched = {
  /** Called once the code has yielded for long enough, and at each probe from then on. */
  yielded: () => void;
  /** Called with the time for which the process has computed without a response; returns whether to kill it. */
  silent: (computedMs: number) => boolean;
};

/** Probes at intervals whether the code of a process yields. */
export class Watch {
  readonly #room: Room;
  readonly #stay: Stay;
  readonly #watched: Watched;
  readonly #startedMs = Date.now();
  readonly #silence = new Silence(this.#startedMs, MAX_LOOK_MS);
  readonly #age = new Silence(this.#startedMs, MAX_PAUSE_MS);
  readonly #computing: Computing;
  #isProbing = false;
  #isOver = false;
  /** Whether it killed the process because of the code in it. */
  hasKilled = false;

  constructor(room: Room, stay: Stay, watched: Watched) {
    this.#room = room;
    this.#stay = stay;
    this.#watched = watched;
    this.#computing = new Computing(() => this.#cpuTime());
  }

  /**
   * Watch during a call, which ends with its process: a connection may not report its loss. Rejects with
   * `IsolateTimeout` when nobody waits for the call any more; that ends the process, too.
   */
  async during<T>(call: Promise<T>): Promise<T> {
    const { promise: lost, reject } = Promise.withResolvers<never>();
    const watching = this.#watch(reject);
    try {
      return await Promise.race([call, lost]);
    } finally {
      this.#isOver = true;
      // The kill is a request of the caller, and would end with it.
      if (this.#stay.hasEnded()) await watching;
    }
  }

  /** Watch until the call or the process has ended, and kill the process if necessary. */
  async #watch(lose: (reason: Error) => void): Promise<void> {
    const { hasEnded, end, expiresMs } = this.#stay;
    const maxAgeMs = expiresMs - this.#startedMs;
    for (;;) {
      void this.#probe();
      await scheduler.wait(LOOK_MS);
      if (this.#isOver) return;
      if (hasEnded()) return lose(new ProcessLost());
      const isExpired = this.#age.look(Date.now()) > maxAgeMs;
      if (!isExpired && !this.#isToKill()) continue;
      this.hasKilled = !isExpired;
      end();
      lose(isExpired ? new IsolateTimeout() : new ProcessLost());
      return this.#kill();
    }
  }

  #isToKill(): boolean {
    const nowMs = Date.now();
    const silentMs = this.#silence.look(nowMs);
    if (silentMs < LATELY_MS && nowMs - this.#startedMs > YIELDED_MS) this.#watched.yielded();
    return this.#watched.silent(this.#computing.during(silentMs));
  }

  async #kill(): Promise<void> {
    const { supervisor, lane } = this.#room;
    const kill = supervisor.kill(lane, this.#stay.process).catch(() => undefined);
    await withTimeout(kill, KILL_MS, () => undefined);
  }

  async #cpuTime(): Promise<number | undefined> {
    const { supervisor, lane } = this.#room;
    const cpuMs = await supervisor.cpuTime(lane, this.#stay.process);
    if (cpuMs !== "ended") return cpuMs;
    this.#stay.end();
    return undefined;
  }

  async #probe(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    try {
      await this.#room.process.ping();
      this.#silence.answered();
      this.#isProbing = false;
    } catch {
      // The process was lost: its silence is noticed.
    }
  }
}
