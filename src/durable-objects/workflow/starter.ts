import { INSTANCE_RETENTION } from "#domain/engine-instances.ts";
import type { Id } from "#domain/ids.ts";
import type { EventHistory } from "#durable-objects/emitter/history.ts";
import type { Alarm } from "#durable-objects/shared/alarm.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";
import { log } from "#telemetry/log.ts";

import type { Engine } from "./engine-shards.ts";
import { FIRST_CHECK_MS } from "./run-checks.ts";
import type { Runs } from "./runs.ts";

/** Maximum concurrent runs of a workflow; those that pause do not count. */
const MAX_RUNNING = 64;

/** Maximum instances that the engine accepts in one call. */
const MAX_PER_BATCH = 100;

/** Delay before runs that the engine did not accept are offered again. */
const RETRY_DELAY_MS = 2000;

/** Maximum delay before queued runs are checked again, whether or not a run has made room for them. */
const FULL_DELAY_MS = 10_000;

/** Maximum delay of the first check of a run if another alarm is set: setting one more writes a row. */
const CHECK_SLACK_MS = 2500;

/** Interval of checks whether runs that wait for the owner's quotas may begin. */
const HELD_DELAY_MS = 60_000;

type Deps = {
  runs: Runs;
  history: EventHistory;
  meter: Meter;
  alarm: Alarm;
  engine: Engine;
  workflowId: Id<"workflow">;
};

/** Passes queued runs to the engine, in order, as there is room. */
export class Starter {
  readonly #deps: Deps;
  #isBusy = false;
  #retryMs: number | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Number of runs that may begin at once, bypassing the queue: none while others wait or are being offered. */
  room(): number {
    if (this.#isBusy || this.#deps.runs.count("queued") > 0) return 0;
    return Math.max(0, this.#room(0));
  }

  /** Offer runs to the engine that have bypassed the queue, and then the waiting ones. Never rejects. */
  async start(begun: readonly string[]): Promise<void> {
    if (begun.length === 0) return this.pump();
    this.#isBusy = true;
    const isTaken = await this.#offer(begun);
    this.#isBusy = false;
    if (!isTaken) return;
    this.#retryMs = undefined;
    await this.pump();
  }

  /** Start waiting runs, if there is room. Never rejects: runs that the engine refuses keep waiting. */
  async pump(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (await this.#startSome()) this.#retryMs = undefined;
    } finally {
      this.#isBusy = false;
    }
  }

  /** The time of the next offer of runs that the engine did not accept, epoch milliseconds. */
  nextDueMs(): number | undefined {
    const { runs, meter } = this.#deps;
    const waiting = runs.count("queued");
    if (waiting === 0) return undefined;
    if (meter.exhausted(runs.load() - waiting)) return Date.now() + HELD_DELAY_MS;
    // As a rule an ended run makes room for the next; this is for the case that none does.
    return this.#retryMs ?? Date.now() + FULL_DELAY_MS;
  }

  async #startSome(): Promise<boolean> {
    const { runs, meter } = this.#deps;
    // They may have waited for long.
    if (runs.count("queued") > 0) await meter.refresh();
    const room = this.#room(runs.count("queued"));
    const ids = room > 0 ? runs.take(room) : [];
    return ids.length > 0 && this.#offer(ids);
  }

  #room(queued: number): number {
    const { runs, meter, history } = this.#deps;
    // Their events would wait for listeners that do not keep up.
    if (history.backlog.isFull()) return 0;
    // Those that run or pause are not counted yet, and will be.
    const allowed = meter.runsLeft() - (runs.load() - queued);
    return Math.min(MAX_RUNNING - runs.count("running"), MAX_PER_BATCH, allowed);
  }

  /** Offer these runs to the engine. False: it did not accept them, and they wait again. */
  async #offer(ids: readonly string[]): Promise<boolean> {
    const { runs, alarm } = this.#deps;
    const checkMs = Date.now() + FIRST_CHECK_MS;
    alarm.arm(checkMs, checkMs + CHECK_SLACK_MS);
    try {
      await this.create(ids);
      return true;
    } catch (error) {
      log("engine_full", { workflow_id: this.#deps.workflowId, count: ids.length, error });
      runs.putBack(ids);
      this.#retryMs = Date.now() + RETRY_DELAY_MS;
      alarm.arm(this.#retryMs);
      return false;
    }
  }

  /** Start these in the engine; those that it has already stay unchanged. */
  async create(ids: readonly string[]): Promise<void> {
    const { engine, workflowId } = this.#deps;
    await engine.createBatch(
      ids.map((runId) => ({
        id: instanceId(workflowId, runId),
        params: { workflowId, runId },
        retention: INSTANCE_RETENTION,
      })),
    );
  }
}

/** The id of a run's instance in the engine. */
export function instanceId(workflowId: Id<"workflow">, runId: string): string {
  return `${workflowId}-${runId}`;
}
