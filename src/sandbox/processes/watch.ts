import { Silence } from "#domain/silence.ts";

import { Computing } from "./computing.ts";
import type { Lane, SandboxProcess, Supervisor } from "./contract.ts";

/** Interval of the probes that check whether a process yields, and the maximum silence between two of them. */
const LOOK_MS = 20;
const MAX_LOOK_MS = 100;

/** A process that responded so recently yields, */
const LATELY_MS = 300;

/** and code that yielded for so long most likely goes on to. */
const YIELDED_MS = 500;

/** A lane of quarantine: its process, and the watchdog that keeps it alive. */
export type Room = { lane: Lane; process: SandboxProcess; supervisor: Supervisor };

type Watched = {
  /** Called once the code has yielded for long enough, and at each probe from then on. */
  yielded: () => void;
  /** Called with the time for which the process has computed without a response; returns whether to kill it. */
  silent: (computedMs: number) => boolean;
};

/** Probes at intervals whether the code of a process yields. */
export class Watch {
  readonly #room: Room;
  readonly #watched: Watched;
  readonly #startedMs = Date.now();
  readonly #silence = new Silence(this.#startedMs, MAX_LOOK_MS);
  readonly #computing: Computing;
  #isProbing = false;
  #isOver = false;
  hasKilled = false;

  constructor(room: Room, watched: Watched) {
    this.#room = room;
    this.#watched = watched;
    this.#computing = new Computing(() => room.supervisor.cpuTime(room.lane));
  }

  /** Watch during a call. */
  async during<T>(call: Promise<T>): Promise<T> {
    const watching = this.#watch();
    try {
      return await call;
    } finally {
      this.#isOver = true;
      // The next call must not begin in a process that is about to be killed.
      if (this.hasKilled) await watching;
    }
  }

  async #watch(): Promise<void> {
    for (;;) {
      void this.#probe();
      await scheduler.wait(LOOK_MS);
      if (this.#isOver) return;
      const nowMs = Date.now();
      const silentMs = this.#silence.look(nowMs);
      if (silentMs < LATELY_MS && nowMs - this.#startedMs > YIELDED_MS) this.#watched.yielded();
      if (!this.#watched.silent(this.#computing.during(silentMs))) continue;
      this.hasKilled = true;
      if (await this.#killed()) return;
    }
  }

  /** Kill the process; false if that fails: it is retried. */
  async #killed(): Promise<boolean> {
    try {
      await this.#room.supervisor.kill(this.#room.lane);
      return true;
    } catch {
      return false;
    }
  }

  async #probe(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    try {
      await this.#room.process.ping();
      this.#silence.answered();
      this.#isProbing = false;
    } catch {
      // The process was lost; the call fails as well.
    }
  }
}
