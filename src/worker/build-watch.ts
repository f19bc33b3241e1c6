import { isLost } from "#sandbox/processes/loss.ts";

/** Interval at which a caller looks whether the build under way exceeds its limit. */
const LOOK_MS = 250;

/** Multiple of a build's limit, which counts computing time, after which it ends on a busy machine too. */
const MAX_BUSY = 6;

/** Maximum times that a call is sent again because its process was lost. */
const MAX_REPEATS = 3;

/** The process of the bundler: its id, and milliseconds that it has computed. */
export type ProcessReport = { pid: number; cpuMs: number };

/** The process that starts and ends that of the bundler. */
export type BundlerSupervisor = {
  /** Resolves once the process runs. */
  process(): Promise<ProcessReport>;
  /** End a process, unless another has replaced it. */
  kill(pid: number): Promise<void>;
};

type Build = ProcessReport & { number: number; call: string; limitMs: number; startedMs: number };

/** A build ended the process that it ran in, or computed for too long. The message is for the author of the code. */
export class BuildEnded extends Error {
  override readonly name = "BuildEnded";
}

/**
 * Watches a bundler in a process of its own. The compiler computes without yielding, so that nothing in that process can
 * end a build: the callers here do.
 */
export class BuildWatch {
  readonly #supervisor: BundlerSupervisor;
  #build: Build | undefined;
  #overdue: Build | undefined;
  #count = 0;

  constructor(supervisor: BundlerSupervisor) {
    this.#supervisor = supervisor;
  }

  /** Note a build that begins now. Returns its number. */
  async begin(call: string, limitMs: number): Promise<number> {
    this.#count += 1;
    const number = this.#count;
    const process = await this.#supervisor.process();
    this.#build = { ...process, number, call, limitMs, startedMs: Date.now() };
    return number;
  }

  end(number: number): void {
    if (this.#build?.number === number) this.#build = undefined;
  }

  /** Whether a build computes. */
  isBuilding(): boolean {
    return this.#build !== undefined;
  }

  /**
   * Call the bundler, and again if its process is lost because of another call. Throws a `BuildEnded` if this call's
   * build is the cause, and else the error of the call. `send`: sends it by a name that `begin` receives.
   */
  async during<T>(send: (call: string) => Promise<T>): Promise<T> {
    for (let repeats = 0; ; repeats += 1) {
      const call = crypto.randomUUID();
      try {
        return await this.#attended(send(call));
      } catch (error) {
        if (!isLost(error) || repeats === MAX_REPEATS) throw error;
        this.#blame(call, repeats);
        await this.#supervisor.process();
      }
    }
  }

  async #attended<T>(sent: Promise<T>): Promise<T> {
    const result = sent.then((value) => ({ value }));
    for (;;) {
      const settled = await Promise.race([result, scheduler.wait(LOOK_MS)]);
      if (settled) return settled.value;
      await this.#look();
    }
  }

  /** End the process if its build exceeds its limit. */
  async #look(): Promise<void> {
    const build = this.#build;
    if (build === undefined) return;
    const tookMs = Date.now() - build.startedMs;
    if (tookMs < build.limitMs) return;
    const { pid, cpuMs } = await this.#supervisor.process();
    if (this.#build !== build) return;
    const isOver = cpuMs - build.cpuMs >= build.limitMs || tookMs >= MAX_BUSY * build.limitMs;
    if (pid === build.pid && !isOver) return;
    // The build of a lost process is over, also if its caller is gone and nobody was told.
    this.#build = undefined;
    if (pid !== build.pid) return;
    this.#overdue = build;
    await this.#supervisor.kill(pid);
  }

  /** Throw if a call's build is the cause of a loss. A process that somebody else killed is no proof, until a second. */
  #blame(call: string, repeats: number): void {
    if (this.#overdue?.call === call)
      throw new BuildEnded(
        `The compiler took more than ${this.#overdue.limitMs / 1000} s for this code`,
      );
    if (this.#build?.call !== call) return;
    this.#build = undefined;
    if (repeats > 0) throw new BuildEnded("The compiler crashed on this code");
  }
}
