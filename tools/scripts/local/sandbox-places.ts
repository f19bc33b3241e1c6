import { setTimeout as wait } from "node:timers/promises";

import type { ProcessFigure } from "#telemetry/sandbox-metrics.ts";

import type { SandboxRunner } from "./sandbox-process.ts";

/** How often in a row a process may be found above its memory, though idle isolates ended, before it is replaced. */
const MAX_ABOVE = 6;

/** A process with so many times its memory is killed at once, before the machine runs out of it. */
const BURST = 4;

/** How long the calls of a process may take that is being replaced, */
const DRAIN_MS = 6 * 60 * 1000;

/** and how often it is asked for them: at first when those have arrived that are on their way, and its egress is reported. */
const DRAIN_INTERVAL_MS = 5000;

/** A process of quarantine that nobody used for so long ends. */
const IDLE_MS = 60_000;

type Side = 0 | 1;

/** A place that owners' code is run at: one process, or two while one takes the other's place. */
export class SandboxPlace {
  readonly #sides: readonly [SandboxRunner, SandboxRunner];
  readonly #memoryBytes: number;
  readonly #route: (side: Side) => Promise<void>;
  #side: Side = 0;
  /** How often in a row it was found above its memory. */
  #above = 0;
  #isDraining = false;

  /** `route`: has the platform use a side from now on. */
  constructor(
    sides: readonly [SandboxRunner, SandboxRunner],
    memoryBytes: number,
    route: (side: Side) => Promise<void>,
  ) {
    this.#sides = sides;
    this.#memoryBytes = memoryBytes;
    this.#route = route;
  }

  start(): Promise<void> {
    return this.#sides[this.#side].start();
  }

  stop(): void {
    for (const runner of this.#sides) runner.stop("stopped");
  }

  figure(name: string): Promise<ProcessFigure> {
    return figureOf(name, this.#sides);
  }

  /** Look at its memory: idle isolates end where it is too much; where that does not help the process is replaced. */
  async lookAfter(): Promise<void> {
    // One that is being replaced still runs code.
    await isAbove(this.#sides[otherOf(this.#side)], this.#memoryBytes);
    const runner = this.#sides[this.#side];
    this.#above = (await isAbove(runner, this.#memoryBytes)) ? this.#above + 1 : 0;
    if (this.#above === 0) return;
    if (this.#above > MAX_ABOVE) await this.#replace();
    else await trim(runner);
  }

  /** Have another process take the place, and end the one that had it once its calls are over. */
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

  constructor(runner: SandboxRunner, memoryBytes: number) {
    this.#runner = runner;
    this.#memoryBytes = memoryBytes;
  }

  /** Have the process run for the next call. */
  async start(): Promise<void> {
    this.#usedMs = performance.now();
    await this.#runner.start();
  }

  /** End it for what runs in it. */
  kill(): void {
    this.#runner.kill("blocked");
  }

  stop(): void {
    this.#runner.stop("stopped");
  }

  figure(name: string): Promise<ProcessFigure> {
    return figureOf(name, [this.#runner]);
  }

  /** Look at its memory, and end it where nobody uses it. */
  async lookAfter(): Promise<void> {
    const runner = this.#runner;
    const usedMs = this.#usedMs;
    if (!runner.isRunning()) return;
    if (await isAbove(runner, this.#memoryBytes)) await trim(runner);
    if (performance.now() - usedMs < IDLE_MS || !(await isIdle(runner))) return;
    // Unless it was started for a call meanwhile.
    if (this.#usedMs === usedMs) runner.stop("idle");
  }
}

function otherOf(side: Side): Side {
  return side === 0 ? 1 : 0;
}

/** Whether a process holds more than it may. One that holds far more is killed. */
async function isAbove(runner: SandboxRunner, limitBytes: number): Promise<boolean> {
  const memory = (await runner.memory()) ?? 0;
  if (memory > BURST * limitBytes) runner.kill("memory");
  return memory > limitBytes && memory <= BURST * limitBytes;
}

/** Half of the isolates each time: those that are used again are used soon. */
async function trim(runner: SandboxRunner): Promise<void> {
  const { isolates = 0 } = (await runner.ask()) ?? {};
  // One that does not answer is looked after by who judges it.
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
  return (await runner.ask())?.calls === 0;
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
