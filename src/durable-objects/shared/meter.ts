import {
  addUsed,
  type DayUsage,
  dayOf,
  NOTHING_USED,
  type Used,
  type UsageReport,
} from "#domain/billing.ts";
import { type Allowance, allowanceAfter, limitsDuration, type QuotaName } from "#domain/quotas.ts";
import { log } from "#telemetry/log.ts";

/** Time for which usage gathers before it is reported: each report costs rows, and it must be visible within 5 s. */
const ROLL_UP_MS = 4000;

/**
 * The same for usage that other objects report here, which has gathered there already, and for usage of an owner with
 * quotas: with `FRESH_MS` it is known to all objects of the owner within a second.
 */
const RELAY_MS = 500;

/**
 * Delay of the alarm that reports usage after a crash. The first usage after a pause is reported at once, without an alarm;
 * this alarm also sends events of the outbox again.
 */
const CRASH_CHECK_MS = 30_000;

/** Maximum delay between two attempts to report while that fails. */
const MAX_WAIT_MS = 5 * 60_000;

/** Time for which an object of a limited owner relies on its last report: other objects use the same quotas. */
const FRESH_MS = 300;

/** In storage while the owner is limited, so that a waking object refreshes its quota before it runs anything. */
const LIMITED = "limited";

/** The dependencies of a meter. */
export type MeterDeps = {
  kv: SyncKvStorage;
  /** The usage that is not reported yet. */
  usage: {
    hasUnreported(): boolean;
    unreported(): DayUsage[];
    settle(days: readonly DayUsage[], today: string): void;
  };
  /** The size of the object's storage. Absent: not reported. */
  storedBytes?: () => number;
  /** The owner of the usage; undefined while nothing is deployed. */
  identity: () => Omit<UsageReport, "days"> | undefined;
  report: (usage: UsageReport) => Promise<Allowance>;
};

/** The rest of the quotas as last reported, and what this object had used by then. */
type QuotaState = { allowance: NonNullable<Allowance>; reportedMs: number; usedBefore: Used };

/**
 * Reports an object's usage, every few seconds while it is used, and keeps the responses about the owner's quotas.
 * Reports contain totals, so one that a crash loses or repeats has no effect.
 */
export class Meter {
  readonly #deps: MeterDeps;
  // Kept in memory, because usage is still reported after a deletion.
  #identity: ReturnType<MeterDeps["identity"]>;
  #isLimited: boolean;
  #state: QuotaState | undefined;
  #reloading: Promise<void> | undefined;
  #reporting: Promise<void> | undefined;
  #reportedMs = 0;
  #reportsNow = false;
  #relays = false;
  #used = NOTHING_USED;
  #failures = 0;
  #isClosed = false;

  constructor(deps: MeterDeps) {
    this.#deps = deps;
    this.#identity = deps.identity();
    this.#isLimited = deps.kv.get<boolean>(LIMITED) ?? false;
  }

  /**
   * Count a committed run or a hook. Returns the time at which the alarm reports it, epoch milliseconds. The first one
   * after a pause is also reported at once.
   */
  count(used: Used): number {
    this.#used = addUsed(this.#used, used);
    this.#identity ??= this.#deps.identity();
    const nowMs = Date.now();
    const dueMs = this.#reportedMs + ROLL_UP_MS;
    if (nowMs < dueMs) return this.#isLimited ? this.relay() : dueMs;
    this.#reportedMs = nowMs;
    this.#reportsNow = true;
    // Later, so that the response to the caller does not wait for it.
    setTimeout(() => void this.#reportNow());
    return nowMs + CRASH_CHECK_MS;
  }

  /**
   * Report usage soon. Returns the time at which the alarm reports it after a crash, epoch milliseconds.
   */
  relay(): number {
    if (!this.#relays) {
      this.#relays = true;
      setTimeout(() => void this.#relayNow(), RELAY_MS);
    }
    return Date.now() + CRASH_CHECK_MS;
  }

  async #relayNow(): Promise<void> {
    // Before the report, because usage that arrives during it needs another one.
    this.#relays = false;
    if (!this.#isClosed) await this.rollUp();
  }

  async #reportNow(): Promise<void> {
    // The handler of the alarm may report at the same time.
    if (!this.#reporting && !this.#isClosed) await this.rollUp();
    this.#reportsNow = false;
  }

  /** The time of the next report by the alarm, epoch milliseconds. */
  nextDueMs(): number | undefined {
    if (!this.#deps.usage.hasUnreported()) return undefined;
    if (this.#reportsNow) return Date.now() + CRASH_CHECK_MS;
    return Date.now() + Math.min(ROLL_UP_MS * 2 ** this.#failures, MAX_WAIT_MS);
  }

  /** Report unreported usage, if any. Throws if that fails: it is reported later then. */
  async flush(): Promise<void> {
    // Usage since its begin is not part of it.
    await this.#reporting?.catch(() => undefined);
    if (this.#deps.usage.hasUnreported()) await this.#report();
  }

  /** Report unreported usage before its tables are deleted. A scheduled report does not happen after this. */
  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
  }

  #report(): Promise<void> {
    this.#reporting ??= this.#reload().finally(() => {
      this.#reporting = undefined;
    });
    return this.#reporting;
  }

  /** Report unreported usage; if that fails, the alarm retries. */
  async rollUp(): Promise<void> {
    try {
      await this.flush();
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      log("usage_unreported", { ...this.#who(), error });
    }
  }

  /** Whether the owner has quotas, which must be fresh before anything runs. */
  isLimited(): boolean {
    return this.#isLimited;
  }

  /** Whether the owner is limited, and other objects may have used up the quotas since the last report. */
  isStale(): boolean {
    const state = this.#stateOfToday();
    return this.#isLimited && (!state || Date.now() - state.reportedMs >= FRESH_MS);
  }

  /**
   * Reload the rest of the owner's quotas, unless it was reported just now. A failure is logged, and changes nothing.
   */
  async refresh(): Promise<void> {
    if (this.isStale()) await this.reload();
  }

  /** Do work at once, or after a refresh. */
  whenFresh(work: () => void): void {
    if (this.isStale()) void this.refresh().then(work);
    else work();
  }

  /** Reload the rest of the owner's quotas, even if there were none. */
  async reload(): Promise<void> {
    this.#reloading ??= this.#reload().finally(() => {
      this.#reloading = undefined;
    });
    try {
      await this.#reloading;
    } catch (error) {
      log("quotas_unknown", { ...this.#who(), error });
    }
  }

  /** Report all usage now. Returns the rest of the owner's quotas, as of a report that contains it. */
  async reportAll(): Promise<Allowance> {
    // Reports under way began before the last usage was added.
    await Promise.allSettled([this.#reloading, this.#reporting]);
    await this.#report();
    return this.#stateOfToday()?.allowance ?? null;
  }

  /** The number of runs that the owner's quotas still allow, those under way included. */
  runsLeft(): number {
    return this.#allowance()?.runsLeft ?? Infinity;
  }

  /** The quota that allows no run beside those that are under way or wait already; undefined: there is none. */
  exhausted(load: number): { quota: QuotaName; limit: number } | undefined {
    const allowance = this.#allowance();
    if (!allowance || allowance.runsLeft > load) return undefined;
    const { quota, limit } = allowance;
    return { quota, limit };
  }

  /** Whether a run may use up a quota by its duration. */
  limitsDuration(): boolean {
    const state = this.#stateOfToday();
    return state !== undefined && limitsDuration(state.allowance);
  }

  /** The last report, less what this object has used since. */
  #allowance(): Allowance {
    const state = this.#stateOfToday();
    if (!state) return null;
    return allowanceAfter(state.allowance, addUsed(this.#used, state.usedBefore, -1));
  }

  #who() {
    const { ownerId: owner_id, emitterId: emitter_id } = this.#identity ?? {};
    return { owner_id, emitter_id };
  }

  async #reload(): Promise<void> {
    const { usage, identity, report, storedBytes } = this.#deps;
    this.#identity ??= identity();
    if (!this.#identity) return;
    const days = usage.unreported();
    const [reportedMs, usedBefore] = [Date.now(), this.#used];
    this.#reportedMs = reportedMs;
    const allowance = await report({
      ...this.#identity,
      days,
      ...(storedBytes && { storedBytes: storedBytes() }),
    });
    if (days.length > 0) usage.settle(days, dayOf(reportedMs / 1000));
    this.#state = allowance ? { allowance, reportedMs, usedBefore } : undefined;
    this.#remember(allowance !== null);
  }

  #remember(isLimited: boolean): void {
    if (isLimited === this.#isLimited) return;
    this.#isLimited = isLimited;
    if (isLimited) this.#deps.kv.put(LIMITED, true);
    else this.#deps.kv.delete(LIMITED);
  }

  /** Quotas reset at midnight UTC, and earlier reports are void. */
  #stateOfToday(): QuotaState | undefined {
    const state = this.#state;
    return state && dayOf(state.reportedMs / 1000) === dayOf(Date.now() / 1000) ? state : undefined;
  }
}
