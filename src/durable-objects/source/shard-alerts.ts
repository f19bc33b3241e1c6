import type { AlertChange, AlertState } from "#domain/alerts.ts";
import { millisecondsOf, type Position } from "#domain/event-ids.ts";
import type { Failure } from "#domain/invocation.ts";
import {
  afterShardRuns,
  countRun,
  needsSuccesses,
  NO_RUNS,
  type ShardRuns,
} from "#domain/shard-alerts.ts";
import type { Shard } from "#domain/source-shards.ts";
import type { Alerts } from "#durable-objects/emitter/alerts.ts";
import { earliest } from "#durable-objects/shared/alarm.ts";
import { log } from "#telemetry/log.ts";

import type { Siblings } from "./siblings.ts";

/** The results of this object's runs, and with the number of a shard after it those of that shard. */
const KEY = "shard_runs";

/** Time for which results gather before the source's own object gets them: each report costs an alarm. */
const GATHER_MS = 2000;

/** Delay of the next report after a failed one. */
const RETRY_DELAY_MS = 60_000;

/** Interval of queries for a successful run while an alert waits for it: a shard without failed runs reports none. */
const POLL_INTERVAL_MS = 30_000;

/** `dueMs`: the time at which they are reported, or decided on. */
type Kept = ShardRuns & { dueMs?: number };

type Deps = {
  storage: DurableObjectStorage;
  sourceId: string;
  shard: Shard;
  siblings: Siblings;
  alerts: Alerts;
  /** Report to the source's own object. */
  reportRuns: (runs: ShardRuns) => Promise<void>;
};

/** Apply a change of the source's alerts, and send its events. */
export type ApplyAlerts = (decide: (state: AlertState) => AlertChange | undefined) => void;

/**
 * The alerts about the runs of a source with several shards: each shard stores its results and reports them, and the
 * source's own object decides by those of all.
 */
export class ShardAlerts {
  readonly #deps: Deps;
  // Cached, so that a successful run reads nothing; null: there are none.
  #kept: Kept | null | undefined;
  #settledMs = 0;
  /** The time of the last successful run here since this process began, … */
  #succeededMs = 0;
  /** … and of any shard, as far as known. */
  #latestMs = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whether several shards run the events of the source. */
  areShared(): boolean {
    return this.#deps.shard > 0 || this.#deps.siblings.count() > 1;
  }

  /** Count an ended run, or a parked event, in the transaction that commits it. */
  record(failure: Failure | undefined, ended: { isRun: boolean; nowMs: number }): void {
    const { isRun, nowMs } = ended;
    if (isRun && !failure) this.#succeededMs = nowMs;
    const known = this.#own();
    const counted = countRun(known, failure, ended);
    if (!counted) return;
    const dueMs = known?.dueMs ?? Math.max(nowMs, this.#settledMs + GATHER_MS);
    this.#put({ ...counted, dueMs });
  }

  /** Drop cached state that a failed transaction may have rolled back. */
  reset(): void {
    this.#kept = undefined;
  }

  /** Forget the results: the source has one shard now, which decides by itself. */
  forget(): void {
    if (!this.#own()) return;
    this.#deps.storage.kv.delete(KEY);
    this.#kept = null;
  }

  /** Record the results of another shard. */
  receive(shard: Shard, runs: ShardRuns): void {
    this.#deps.storage.kv.put<ShardRuns>(`${KEY}:${shard}`, runs);
  }

  /** The time at which new results are due, epoch milliseconds. */
  dueMs(): number | undefined {
    return this.areShared() ? this.#own()?.dueMs : undefined;
  }

  /** The time of the next report or decision, epoch milliseconds. */
  nextDueMs(): number | undefined {
    return earliest(this.dueMs(), this.#isWaiting() ? Date.now() + POLL_INTERVAL_MS : undefined);
  }

  /** The time of the last successful run here, epoch milliseconds; 0: none is known. */
  lastSuccessMs(): number {
    const { last } = this.#deps.storage.sql
      .exec<{ last: Position | null }>(
        "SELECT max(position) AS last FROM events WHERE run_ms NOT NULL AND run_failed IS NULL",
      )
      .one();
    return Math.max(this.#succeededMs, last === null ? 0 : millisecondsOf(last));
  }

  /** Report new results, or decide by those of all shards. A failure is logged and retried. */
  async settle(apply: ApplyAlerts, nowMs: number): Promise<void> {
    const own = this.#own();
    if (!this.#isDue(own, nowMs)) return;
    try {
      await (this.#deps.shard === 0 ? this.#decide(apply) : this.#deps.reportRuns(own ?? NO_RUNS));
    } catch (error) {
      log("alerts_unreported", { subject_id: this.#deps.sourceId, error });
      this.#put({ ...NO_RUNS, ...this.#own(), dueMs: nowMs + RETRY_DELAY_MS });
      return;
    }
    this.#settledMs = nowMs;
    // Results since then are in the next report.
    if (own?.dueMs === undefined || own !== this.#own()) return;
    const { dueMs: _, ...rest } = own;
    this.#put(rest);
  }

  /** The source's own object also decides by results of the others. */
  #isDue(own: Kept | undefined, nowMs: number): boolean {
    if (!this.areShared()) return false;
    return this.#deps.shard === 0 || (own?.dueMs !== undefined && own.dueMs <= nowMs);
  }

  async #decide(apply: ApplyAlerts): Promise<void> {
    const { alerts, siblings } = this.#deps;
    if (needsSuccesses(alerts.state(), this.#ofAll(), this.#latestMs)) {
      const times = await Promise.all(siblings.all().map((one) => one.lastSuccessMs()));
      this.#latestMs = Math.max(this.#latestMs, this.lastSuccessMs(), ...times);
    }
    apply((state) => afterShardRuns(state, this.#ofAll(), this.#latestMs));
  }

  /** Whether an alert ends with a successful run of any shard. */
  #isWaiting(): boolean {
    const { shard, alerts } = this.#deps;
    return shard === 0 && this.areShared() && needsSuccesses(alerts.state(), [], this.#latestMs);
  }

  /** The results of the shards that take requests: nothing runs on others that could end an alert. */
  #ofAll(): ShardRuns[] {
    const { storage, siblings } = this.#deps;
    const own = this.#own();
    const others = Array.from(
      { length: siblings.count() - 1 },
      (_, index) => storage.kv.get<ShardRuns>(`${KEY}:${index + 1}`) ?? [],
    );
    return [...(own ? [own] : []), ...others.flat()];
  }

  #own(): Kept | undefined {
    if (this.#kept === undefined) this.#kept = this.#deps.storage.kv.get<Kept>(KEY) ?? null;
    return this.#kept ?? undefined;
  }

  #put(kept: Kept): void {
    this.#deps.storage.kv.put<Kept>(KEY, kept);
    this.#kept = kept;
  }
}
