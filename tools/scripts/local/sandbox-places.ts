import { setTimeout as wait } from "node:timers/promises";

import type { LossReason } from "#sandbox/processes/contract.ts";
import type { ProcessFigure } from "#telemetry/sandbox-metrics.ts";

import type { SandboxRunner } from "./sandbox-process.ts";

/** The number of checks in a row above the memory limit, after idle isolates ended, before a process is replaced. */
const MAX_ABOVE = 6;

/** A process with this multiple of its memory limit is killed at once, before the machine runs out of memory. */
const BURST = 4;

/** The same in quarantine, where no other calls share the process: to give it more memory slows down the machine. */
const QUARANTINE_BURST = 1.5;

/** Code in quarantine gets as much in any case, unless this is above the burst of other processes. */
const QUARANTINE_BYTES = 512 * 1024 * 1024;

/** The timeout for the calls of a process that is being replaced, */
const DRAIN_MS = 6 * 60 * 1000;

/** and the interval of its checks: the first once pending calls have arrived, and its egress is reported. */
const DRAIN_INTERVAL_MS = 5000;

/** A quarantine process that is unused for this long ends. */
const IDLE_MS = 60_000;

type Side = 0 | 1;

/** A place that runs owners' code: one process, or two while one replaces the other. */
export class SandboxPlace {
  readonly #sides: readonly [SandboxRunner, SandboxRunner];
  readonly #memoryBytes: number;
  readonly #route: (side: Side) => Promise<void>;
  #side: Side = 0;
  /** The number of checks in a row above its memory limit. */
  #above = 0;
  #isDraining = false;

  /** `route`: makes the platform use a side from now on. */
  constructor(
    sides: readonly [SandboxRunner, SandboxRunner],
    memoryBytes: number,
    route: (side: Side) => Promise<void>,
  ) {
    this.#sides = sides;
    this.#memoryBytes = memoryBytes;
    this.#route = route;
  }

  async start(): Promise<void> {
    await this.#sides[this.#side].start();
  }

  stop(): void {
    for (const runner of this.#sides) runner.stop("stopped");
  }

  figure(name: string): Promise<ProcessFigure> {
    return figureOf(name, this.#sides);
  }

  /** Check its memory: above the limit idle isolates end, and if that does not suffice the process is replaced. */
  async lookAfter(): Promise<void> {
    // A process that is being replaced still runs code.
    await isAbove(this.#sides[otherOf(this.#side)], this.#memoryBytes);
    const runner = this.#sides[this.#side];
    this.#above = (await isAbove(runner, this.#memoryBytes)) ? this.#above + 1 : 0;
    if (this.#above === 0) return;
    if (this.#above > MAX_ABOVE) await this.#replace();
    else await trim(runner);
  }

  /** Replace the process, and end the old one once its calls are over. */
  async #replace(): Promise<void> {
    if (this.#isDraining) return;
    const other = otherOf(this.#side);
    const old = this.#sides[this.#side];
    await this.#sides[other].start();
    await this.#route(other);
    this.#side = other;
    this.#above = 0;
    this.#isDraining = true;
    void drain(old).finally(() => {
      this.#isDraining = false;
    });
  }
}

/** A lane of quarantine: a process that runs while it is used. */
export class SandboxLane {
  readonly #runner: SandboxRunner;
  readonly #memoryBytes: number;
  #usedMs = 0;
  #isTrimming = false;

  constructor(runner: SandboxRunner, memoryBytes: number) {
    this.#runner = runner;
    this.#memoryBytes = memoryBytes;
  }

  /** Start the process for the next call. Returns its number. */
  start(): Promise<number> {
    this.#usedMs = performance.now();
    return this.#runner.start();
  }

  /** Milliseconds of a process' CPU time; undefined if unknown, `ended` if it does not run any more. */
  async cpuTime(process: number): Promise<number | "ended" | undefined> {
    // Its code is silent, and somebody watches it.
    this.#usedMs = performance.now();
    return this.#runner.runs(process) ? this.#runner.cpuTime() : "ended";
  }

  /** The reason for the unexpected end of a process; undefined: it runs, or the reason is unknown. */
  loss(process: number): Promise<LossReason | undefined> {
    return this.#runner.loss(process);
  }

  /** Kill a process because of the code in it. */
  kill(process: number): void {
    if (this.#runner.runs(process)) this.#runner.kill("blocked");
  }

  stop(): void {
    this.#runner.stop("stopped");
  }

  figure(name: string): Promise<ProcessFigure> {
    return figureOf(name, [this.#runner]);
  }

  /** Check its memory, and end it if it is unused. */
  async lookAfter(): Promise<void> {
    const runner = this.#runner;
    const usedMs = this.#usedMs;
    if (!runner.isRunning()) return;
    // Without waiting: code that allocates memory without yielding does not let it respond.
    if (await isAbove(runner, this.#memoryBytes, quarantineBytes(this.#memoryBytes)))
      void this.#trim();
    // One that does not respond, and that nobody watches, runs code whose caller is gone.
    if (performance.now() - usedMs < IDLE_MS || (await callsOf(runner)) > 0) return;
    // Unless it was started for a call meanwhile.
    if (this.#usedMs === usedMs) runner.stop("idle");
  }

  async #trim(): Promise<void> {
    if (this.#isTrimming) return;
    this.#isTrimming = true;
    await trim(this.#runner);
    this.#isTrimming = false;
  }
}

function otherOf(side: Side): Side {
  return side === 0 ? 1 : 0;
}

/** Whether a process exceeds its memory limit. One that exceeds it far is killed. */
async function isAbove(
  runner: SandboxRunner,
  limitBytes: number,
  killedAboveBytes = BURST * limitBytes,
): Promise<boolean> {
  const memory = (await runner.memory()) ?? 0;
  if (memory > killedAboveBytes) runner.kill("memory");
  return memory > limitBytes && memory <= killedAboveBytes;
}

/** The bytes above which a quarantine process is killed. */
function quarantineBytes(limitBytes: number): number {
  return Math.min(BURST * limitBytes, Math.max(QUARANTINE_BURST * limitBytes, QUARANTINE_BYTES));
}

/** End half of the isolates each time: those in use are loaded again soon. */
async function trim(runner: SandboxRunner): Promise<void> {
  const { isolates = 0 } = (await runner.status()) ?? {};
  // The watchdog handles a process that does not respond.
  await runner.trim(Math.floor(isolates / 2)).catch(() => {});
}

async function drain(runner: SandboxRunner): Promise<void> {
  runner.retire();
  const untilMs = performance.now() + DRAIN_MS;
  do await wait(DRAIN_INTERVAL_MS, undefined, { ref: false });
  while (runner.isRunning() && performance.now() < untilMs && !(await isIdle(runner)));
  runner.stop("replaced");
}

async function isIdle(runner: SandboxRunner): Promise<boolean> {
  return (await runner.status())?.calls === 0;
}

/** The number of its calls in progress; 0 if it does not respond. */
async function callsOf(runner: SandboxRunner): Promise<number> {
  return (await runner.status())?.calls ?? 0;
}

/** The status of the process of a place or a lane; of both processes while one replaces the other. */
async function figureOf(name: string, runners: readonly SandboxRunner[]): Promise<ProcessFigure> {
  const figures = await Promise.all(runners.map((runner) => runner.figures()));
  const sum = (one: "memoryBytes" | "calls" | "isolates" | "starts") =>
    figures.reduce((all, figure) => all + figure[one], 0);
  const ends: Record<string, number> = {};
  for (const figure of figures)
    for (const [reason, count] of Object.entries(figure.ends))
      ends[reason] = (ends[reason] ?? 0) + count;
  return {
    name,
    memoryBytes: sum("memoryBytes"),
    calls: sum("calls"),
    isolates: sum("isolates"),
    starts: sum("starts"),
    ends,
  };
}
