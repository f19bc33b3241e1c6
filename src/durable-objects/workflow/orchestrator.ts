import type { WorkflowStep } from "cloudflare:workers";

import { forSteps } from "#domain/chains.ts";
import { fromJson, type JsonOf } from "#domain/json.ts";
import { RUN_DEADLINE_MS } from "#domain/workflows.ts";

import type {
  KeptResumption,
  PlannedStep,
  RunEnd,
  RunPlan,
  StepMessages,
  StepReport,
  StepOutcome,
} from "./contract.ts";
import {
  keptOutcome,
  MIN_PAUSE_MS,
  type ResumeEvent,
  resumptionIn,
  outcomeIn,
} from "./engine-values.ts";
import { pauseEvent, type Resumption } from "./pauses.ts";
import type { StepInvoker, StepRun } from "./step-invoker.ts";

/** The records of a run in its workflow. */
export type RunMemory = {
  /** The outcome of an execution that was reported before; null if it was not. */
  recorded(number: number): Promise<JsonOf<StepOutcome> | null>;
  /** Record an execution. Whether its messages were stored with it: an older release's object does not store them. */
  record(report: StepReport): Promise<boolean>;
  /** Resume the run after its pause; `resumption`: the `$resume_data` of its next steps. */
  wake(resumption: KeptResumption | undefined): Promise<void>;
  /** The request that ended the pause after an execution, JSON text; null if there was none. */
  resumption(number: number): Promise<string | null>;
  end(end: RunEnd): Promise<void>;
  /** Store messages that were not stored with their outcome, and send them. */
  send(left: StepMessages): Promise<void>;
};

type Deps = {
  plan: RunPlan;
  engine: WorkflowStep;
  memory: RunMemory;
  invoker: StepInvoker;
};

type Pause = NonNullable<StepOutcome["pause"]>;

/** The progress of a step: its next run, and the remaining retries. */
type Turn = { run: StepRun; triesLeft: number };

/**
 * Runs the steps of a run in order. Results that the engine has stored return at once, so after a restart this resumes
 * at the same place: everything here must be deterministic, except inside `engine.do`.
 */
export class Orchestrator {
  readonly #deps: Deps;
  readonly #exports: Map<string, string>;
  #usedBytes = 0;
  #budget: number;
  #executions = 0;
  #deadlineMs = Date.now() + RUN_DEADLINE_MS;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { event, context, budget } = deps.plan;
    this.#budget = forSteps(budget);
    const trigger = `{"event":${event},"context":${JSON.stringify(context)}}`;
    this.#exports = new Map([["trigger", trigger]]);
  }

  async play(): Promise<void> {
    const { steps } = this.#deps.plan.deployment;
    for (const [index, step] of steps.entries()) {
      const isOver = await this.#perform(step, index === steps.length - 1);
      if (isOver) return;
    }
  }

  /** Execute a step until it has ended. Returns whether the run is over. */
  async #perform(step: PlannedStep, isLast: boolean): Promise<boolean> {
    let turn: Turn = { run: { runs: 1 }, triesLeft: step.retries?.limit ?? 0 };
    for (;;) {
      const { run, triesLeft } = turn;
      const outcome = await this.#execute(step, { run, isLast, isFinal: triesLeft === 0 });
      await this.#sendLeft(step.name, outcome);
      if (outcome.ends) return true;
      if (outcome.failure) {
        await this.#waitToRetry(step);
        turn = { run, triesLeft: triesLeft - 1 };
        continue;
      }
      this.#keep(step.name, outcome.exports);
      await this.#carry(step.name);
      if (!outcome.pause) return false;
      const next = await this.#afterPause(step.name, { turn, isLast, pause: outcome.pause });
      if (typeof next === "boolean") return next;
      turn = next;
    }
  }

  /** Pause. Returns the next turn of the step if it is to run again, else whether the run is over. */
  async #afterPause(
    step: string,
    { turn, isLast, pause }: { turn: Turn; isLast: boolean; pause: Pause },
  ): Promise<Turn | boolean> {
    const resumption = await this.#pause(step, pause);
    if (resumption !== undefined && pause.kind === "rerun")
      return { ...turn, run: rerunOf(turn.run, pause, resumption) };
    if (resumption !== undefined && !isLast) return false;
    const state = resumption === undefined ? "cancelled" : "succeeded";
    await this.#deps.memory.end({ state, failure: null, step });
    return true;
  }

  async #execute(
    step: PlannedStep,
    circumstances: { run: StepRun; isLast: boolean; isFinal: boolean },
  ): Promise<StepOutcome> {
    const { engine, memory, invoker, plan } = this.#deps;
    const { carried = 0 } = plan;
    const number = (this.#executions += 1);
    const kept = await engine.do(step.name, async ({ attempt }) => {
      // It crashed before the engine stored it, but maybe after its outcome was committed; or an earlier run executed
      // it.
      const isKnown = attempt > 1 || number <= carried;
      const recorded = isKnown ? await memory.recorded(number) : null;
      if (recorded !== null) return keptOutcome(fromJson(recorded));
      const report = await invoker.execute({
        ...circumstances,
        step,
        number,
        steps: this.#stepsText(),
        usedBytes: this.#usedBytes,
        budget: this.#budget,
        deadlineMs: this.#deadlineMs,
      });
      const areStored = await memory.record(report);
      return keptOutcome(areStored ? { ...report.verdict, parcels: [] } : report.verdict);
    });
    const outcome = outcomeIn(kept);
    this.#budget = Math.max(0, this.#budget - (outcome.spent ?? 0));
    return outcome;
  }

  /** Store messages of an outcome of an older release, which sent them one by one before the next step. */
  async #sendLeft(step: string, { parcels, ends, failure }: StepOutcome): Promise<void> {
    if (parcels.length === 0) return;
    const { engine, memory } = this.#deps;
    const number = this.#executions;
    for (const [index, message] of parcels.entries())
      await engine.do(`${step}: send ${index + 1}`, () =>
        memory.send({ number, step, messages: [message] }),
      );
    if (ends) await memory.end({ state: ends, failure, step });
  }

  async #waitToRetry({ name, retries }: PlannedStep): Promise<void> {
    const delayMs = (retries?.delaySeconds ?? 0) * 1000;
    if (delayMs > 0) await this.#deps.engine.sleep(`${name}: retry`, delayMs);
    this.#deadlineMs = Date.now() + RUN_DEADLINE_MS;
  }

  /** Wait until a pause ends. Undefined: the run was cancelled. */
  async #pause(name: string, pause: Pause): Promise<Resumption | "timeout" | undefined> {
    const { memory } = this.#deps;
    const resumption = await this.#resumption(name, pause.ms);
    this.#deadlineMs = Date.now() + RUN_DEADLINE_MS;
    const isTimeout = resumption === "timeout";
    if (isTimeout ? pause.kind === "suspend" : resumption.action === "cancel") return undefined;
    const isSeen = !isTimeout && pause.kind !== "rerun";
    const { request } = isSeen ? resumption : {};
    await memory.wake(request === undefined ? request : { number: this.#executions, request });
    if (request !== undefined) this.#addExport(name, request);
    return resumption;
  }

  async #resumption(name: string, ms: number): Promise<Resumption | "timeout"> {
    try {
      const type = pauseEvent(this.#executions);
      const event = await this.#deps.engine.waitForEvent<ResumeEvent>(`${name}: pause`, {
        type,
        timeout: Math.max(ms, MIN_PAUSE_MS),
      });
      return resumptionIn(event.payload);
    } catch (error) {
      // The engine reports a timeout by the message of an error.
      if (error instanceof Error && /timed? ?out/i.test(`${error.name} ${error.message}`))
        return "timeout";
      throw error;
    }
  }

  /** A carried step may have been resumed in the run that this one repeats. */
  async #carry(name: string): Promise<void> {
    const { plan, memory } = this.#deps;
    if (this.#executions > (plan.carried ?? 0)) return;
    const request = await memory.resumption(this.#executions);
    if (request !== null) this.#addExport(name, request);
  }

  #keep(name: string, exported: string): void {
    this.#usedBytes += Buffer.byteLength(exported) - sizeOf(this.#exports.get(name));
    this.#exports.set(name, exported);
  }

  /** Add the data of the request that ended a pause to the exports of the step. */
  #addExport(name: string, request: string): void {
    const exported = this.#exports.get(name) ?? "{}";
    const before = exported === "{}" ? "{" : `${exported.slice(0, -1)},`;
    this.#keep(name, `${before}"$resume_data":${request}}`);
  }

  #stepsText(): string {
    const fields = [...this.#exports].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
    return `{${fields.join(",")}}`;
  }
}

function rerunOf(
  { runs }: StepRun,
  { context }: Pause,
  resumption: Resumption | "timeout",
): StepRun {
  return {
    runs: runs + 1,
    context: JSON.parse(context ?? "null"),
    ...(resumption !== "timeout" && {
      callback_request: JSON.parse(resumption.request),
    }),
  };
}

function sizeOf(text: string | undefined): number {
  return text === undefined ? 0 : Buffer.byteLength(text);
}
