import {
  addDeliveries,
  addUsed,
  dayOf,
  type DeliveriesReport,
  laterUsage,
  type PayerUsage,
  USAGE_FLUSH_SECONDS,
  type UsageReport,
  type Used,
} from "#domain/billing.ts";
import type { OwnerId } from "#domain/ids.ts";
import { fromJson, toJson } from "#domain/json.ts";
import type { Allowance, QuotaState } from "#domain/quotas.ts";
import { log } from "#telemetry/log.ts";

import { allowanceWith, hasQuota, QuotaCache } from "./quota-cache.ts";
import { StoredBytes } from "./stored-bytes.ts";
import { areOther, storedTimers } from "./timer-watch.ts";
import {
  countedWith,
  type EmitterRow,
  emitterOf,
  failedIn,
  NO_DAYS,
  owedOn,
  type WebhookRow,
} from "./usage-rows.ts";
import type { UsageTables } from "./usage-tables.ts";

const FLUSH_MS = USAGE_FLUSH_SECONDS * 1000;

/** Time for which the count of a failed delivery gathers: operators look for failing webhooks in D1. */
const FAILURE_FLUSH_MS = 5000;

/** Minimum time between two writes to D1 for the sake of failed deliveries. */
const FAILURE_PAUSE_MS = 60_000;

/** Number of emitters, and number of webhooks, that are written to D1 at a time. */
const PART_LENGTH = 100;

/** Rejects if D1 fails. Totals may be recorded again: only the difference counts. */
export type RecordUsage = (usage: PayerUsage) => Promise<QuotaState>;

type Deps = {
  storage: DurableObjectStorage;
  tables: UsageTables;
  payerId: () => OwnerId;
  record: RecordUsage;
  /** Let the alarm fire at this time, epoch milliseconds, or before. */
  bringForward: (atMs: number) => void;
};

/**
 * The usage of a payer that is not in D1 yet. Reports are stored before they are acknowledged, and written to D1
 * together, at intervals. They contain totals, so a crash meanwhile neither loses nor doubles any.
 */
export class UsageBuffer {
  readonly storedBytes: StoredBytes;
  readonly #storage: DurableObjectStorage;
  readonly #payerId: () => OwnerId;
  readonly #record: RecordUsage;
  readonly #bringForward: Deps["bringForward"];
  readonly #tables: UsageTables;
  readonly #quotas: QuotaCache;
  /** The usage of a day that D1 lacks: reports add to it, so that each need not read the rows of all emitters. */
  #owed: { day: string; used: Used } | undefined;
  #failureFlushMs = 0;
  #isFailureWritten = true;
  /** D1 is not written before this time by the alarm: the last attempt failed. */
  #retryMs = 0;
  /** The alarm is set for this time or before; 0: unknown. */
  #armedMs = 0;
  #writing: Promise<unknown> = Promise.resolve();

  constructor({ storage, tables, payerId, record, bringForward }: Deps) {
    this.#storage = storage;
    this.#payerId = payerId;
    this.#record = record;
    this.#bringForward = bringForward;
    this.#tables = tables;
    this.storedBytes = new StoredBytes(storage.sql);
    this.#quotas = new QuotaCache(storage.kv);
  }

  /**
   * Store a report, and return the rest of the payer's quotas. D1 is read for them once a minute; reports since are added to its
   * usage. It is also read if the part of the reported usage that it has is unknown.
   */
  async report(report: UsageReport): Promise<Allowance> {
    this.storedBytes.record(report.emitterId, report.storedBytes);
    this.#store(report);
    const allowance = this.#known(report);
    if (allowance !== undefined) return allowance;
    return this.#inTurn(async () => {
      // Another report may have read them meanwhile.
      const read = this.#known(report);
      return read === undefined ? this.#read() : read;
    });
  }

  #store(report: UsageReport): void {
    const { days, timers } = report;
    const nowMs = Date.now();
    const former = this.#tables.emitter(report.emitterId);
    const before = former ?? this.#newRow(nowMs);
    const row = {
      days: toJson(laterUsage(fromJson(before.days), days)),
      written: before.written,
      timers: timers ? storedTimers(timers) : before.timers,
    };
    const isUsed = row.days !== before.days;
    // A tick is stored with its usage: a row of its own would double the cost.
    if (!isUsed && !(timers && areOther(before.timers, timers))) return;
    if (isUsed) this.#arm();
    this.#tables.putEmitter(report, row, isUsed ? nowMs : 0);
    this.#addOwed(former, row);
  }

  #newRow(nowMs: number): Pick<EmitterRow, "days" | "written" | "timers"> {
    const written = this.#quotas.keepsRows(nowMs) ? NO_DAYS : null;
    return { days: NO_DAYS, written, timers: null };
  }

  /** Add the difference that a report makes. */
  #addOwed(before: EmitterRow | undefined, after: Pick<EmitterRow, "days" | "written">): void {
    if (!this.#owed) return;
    const { day, used } = this.#owed;
    const difference = addUsed(owedOn(day, [after]), owedOn(day, before ? [before] : []), -1);
    this.#owed = { day, used: addUsed(used, difference) };
  }

  /** Store the counts of a webhook's process. Those of an earlier process stay; a late report of one is void. */
  reportDeliveries(report: DeliveriesReport): void {
    this.storedBytes.record(report.webhookId, report.storedBytes);
    const former = this.#tables.webhook(report.webhookId);
    if (former && report.process < former.process) return;
    const next = countedWith(former, report);
    if (former && next.before === former.before && next.days === former.days) return;
    this.#arm();
    if (failedIn(next) > (former ? failedIn(former) : 0)) this.#armForFailure();
    this.#tables.putWebhook(report, next, Date.now());
  }

  /** Write all stored usage to D1. Rejects if that fails: it stays stored. */
  async flush(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#tables.unwrittenSinceMs() !== undefined) await this.#writeAll();
    });
  }

  /** Handle the alarm: write all stored usage. If D1 fails, a later alarm retries. */
  async handleAlarm(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      this.#retryMs = Date.now() + FLUSH_MS;
      log("usage_unreported", { owner_id: this.#payerId(), error });
    }
  }

  /** The time at which stored usage is written to D1, epoch milliseconds; undefined: D1 has all. */
  nextDueMs(): number | undefined {
    const sinceMs = this.#tables.unwrittenSinceMs();
    if (sinceMs === undefined) return undefined;
    const flushMs = this.#isFailureWritten ? sinceMs + FLUSH_MS : this.#failureFlushMs;
    return Math.max(Math.min(flushMs, sinceMs + FLUSH_MS), this.#retryMs);
  }

  /** Delete totals that no report can refer to any more. Returns their number. */
  deleteOldTotals(nowMs: number): number {
    return this.#tables.deleteOldWebhooks(nowMs);
  }

  /** Read the quotas from D1 with the next report. */
  forgetQuotas(): void {
    this.#quotas.forget();
  }

  /** Read the usage of a payer with quotas from D1 with the next report. */
  forgetUsed(): void {
    this.#quotas.forgetUsed();
  }

  /** The rest of the quotas; undefined: D1 must be read. */
  #known({ emitterId, days }: UsageReport): Allowance | undefined {
    if (this.#quotas.isLimited() === false) return null;
    const nowMs = Date.now();
    const today = dayOf(nowMs / 1000);
    const isUsedToday = days.some(({ day }) => day === today);
    if (isUsedToday && this.#tables.emitter(emitterId)?.written === null) return undefined;
    const since = () => ({ used: this.#owedOn(today), storedBytes: this.storedBytes.total() });
    return this.#quotas.allowance(since, nowMs);
  }

  #owedOn(today: string): Used {
    if (this.#owed?.day !== today)
      this.#owed = { day: today, used: owedOn(today, this.#tables.unwrittenEmitters()) };
    return this.#owed.used;
  }

  async #read(): Promise<Allowance> {
    const state = await this.#writeAll();
    return allowanceWith(state, {
      used: this.#owedOn(dayOf(Date.now() / 1000)),
      storedBytes: this.storedBytes.total(),
    });
  }

  /** Write to D1 in turn: responses out of order would show less usage than there is. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#writing.then(work);
    this.#writing = turn.catch(() => undefined);
    return turn;
  }

  /** Write all stored usage to D1, and return the last response. */
  async #writeAll(): Promise<QuotaState> {
    const emitters = this.#tables.unwrittenEmitters();
    const webhooks = this.#tables.unwrittenWebhooks();
    for (let from = 0; ; from += PART_LENGTH) {
      const to = from + PART_LENGTH;
      const rows = { emitters: emitters.slice(from, to), webhooks: webhooks.slice(from, to) };
      const state = await this.#write(rows);
      if (to >= Math.max(emitters.length, webhooks.length)) return state;
    }
  }

  async #write(rows: { emitters: EmitterRow[]; webhooks: WebhookRow[] }): Promise<QuotaState> {
    const store = this.#quotas.reading(Date.now());
    const state = await this.#record({
      payerId: this.#payerId(),
      emitters: rows.emitters.map((row) => emitterOf(row)),
      webhooks: rows.webhooks.map(({ webhook_id: webhookId, before, days }) => {
        return { webhookId, days: addDeliveries(fromJson(before), fromJson(days)) };
      }),
    });
    const nowMs = Date.now();
    const today = dayOf(nowMs / 1000);
    this.#armedMs = 0;
    this.#isFailureWritten = true;
    this.#owed = undefined;
    this.#storage.transactionSync(() => {
      store(state);
      this.#tables.settleEmitters(rows.emitters, hasQuota(state), today);
      this.#quotas.setKeepsRows(hasQuota(state), nowMs);
      this.#tables.settleWebhooks(rows.webhooks, today);
    });
    return state;
  }

  /** Bring the alarm forward, unless it was for an earlier failure. */
  #armForFailure(): void {
    const nowMs = Date.now();
    this.#isFailureWritten = false;
    if (this.#failureFlushMs > nowMs) return;
    this.#failureFlushMs = Math.max(
      nowMs + FAILURE_FLUSH_MS,
      this.#failureFlushMs + FAILURE_PAUSE_MS,
    );
    this.#bringForward(this.#failureFlushMs);
  }

  /** Set the alarm, unless it is set for earlier reports; a lost one is set anew. */
  #arm(): void {
    const nowMs = Date.now();
    // The search reads the rows of all emitters and webhooks, which may report at the same time.
    if (nowMs < this.#armedMs) return;
    const sinceMs = this.#tables.unwrittenSinceMs();
    const isArmed = sinceMs !== undefined && sinceMs >= nowMs - 2 * FLUSH_MS;
    const nextMs = this.#failureFlushMs > nowMs ? this.#failureFlushMs : nowMs + FLUSH_MS;
    this.#armedMs = isArmed ? sinceMs + FLUSH_MS : nextMs;
    if (!isArmed) this.#bringForward(nextMs);
  }
}
