import type { UsageReport } from "#domain/billing.ts";
import { atMost } from "#domain/concurrency.ts";
import { fromJson, type JsonOf, toJson } from "#domain/json.ts";
import { secondMissMs, type Tick } from "#domain/schedule.ts";
import { earliest } from "#durable-objects/shared/alarm.ts";
import { log } from "#telemetry/log.ts";

import type { UsageTables } from "./usage-tables.ts";

type EmitterId = UsageReport["emitterId"];

/** Time after its second missed tick at which a timer is checked: its report may be late, and others are due with it. */
const GRACE_MS = 30_000;

/** Time after which a timer is checked again that has not ticked since: its ticks are skipped, or fail. */
const AGAIN_MS = 60_000;

/** Maximum emitters that one alarm checks; and at once. */
const MAX_CHECKS = 100;
const AT_ONCE = 25;

/** Checks an emitter's timers, and repairs them. Returns their next ticks. */
type CheckTimers = (id: EmitterId) => Promise<Tick[]>;

/**
 * Watches the timers of an owner's emitters, whose next ticks arrive with their usage. The runtime drops an alarm that
 * fails six times: then the emitter itself never wakes again.
 */
export class TimerWatch {
  readonly #tables: UsageTables;
  readonly #check: CheckTimers;
  #times: Map<EmitterId, number> | undefined;

  constructor(tables: UsageTables, check: CheckTimers) {
    this.#tables = tables;
    this.#check = check;
  }

  /** The next ticks of an emitter have arrived. Returns the time of its next check, epoch milliseconds; undefined: none. */
  noted(id: EmitterId, timers: readonly Tick[]): number | undefined {
    const dueMs = checkMs(timers);
    if (dueMs === undefined) this.#all().delete(id);
    else this.#all().set(id, dueMs);
    return dueMs;
  }

  /** The time of the next check, epoch milliseconds. */
  nextDueMs(): number | undefined {
    return earliest(...this.#all().values());
  }

  /** Check the emitters whose timers missed two ticks. Returns their number. */
  async checkDue(nowMs: number): Promise<number> {
    const due = [...this.#all()].filter(([, dueMs]) => dueMs <= nowMs).slice(0, MAX_CHECKS);
    const inTurn = atMost(AT_ONCE);
    await Promise.all(due.map(([id]) => inTurn(() => this.#checkOne(id))));
    return due.length;
  }

  async #checkOne(id: EmitterId): Promise<void> {
    let nextMs: number | undefined;
    try {
      const timers = await this.#check(id);
      this.#tables.putTimers(id, storedTimers(timers));
      nextMs = this.noted(id, timers);
    } catch (error) {
      log("alarm_unkept", { subject_id: id, error });
      nextMs = 0;
    }
    if (nextMs !== undefined) this.#all().set(id, Math.max(nextMs, Date.now() + AGAIN_MS));
  }

  #all(): Map<EmitterId, number> {
    this.#times ??= new Map(
      this.#tables
        .timers()
        .map(({ emitter_id, timers }) => [emitter_id, checkMs(fromJson(timers)) ?? 0]),
    );
    return this.#times;
  }
}

function checkMs(timers: readonly Tick[]): number | undefined {
  const missedMs = earliest(...timers.map((tick) => secondMissMs(tick)));
  return missedMs === undefined ? undefined : missedMs + GRACE_MS;
}

/** The timers of an emitter as stored: null without any. */
export function storedTimers(timers: readonly Tick[]): JsonOf<Tick[]> | null {
  return timers.length === 0 ? null : toJson([...timers]);
}

function schedulesOf(ticks: readonly Tick[]): string {
  return JSON.stringify(ticks.map(({ prop, schedule }) => [prop, schedule]));
}

/** Whether two lists of timers have other schedules, whatever their next ticks. */
export function areOther(stored: JsonOf<Tick[]> | null, timers: readonly Tick[]): boolean {
  return schedulesOf(stored === null ? [] : fromJson(stored)) !== schedulesOf(timers);
}
