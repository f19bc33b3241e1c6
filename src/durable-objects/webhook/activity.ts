import { countsAt } from "#domain/activity.ts";
import {
  addDeliveries,
  type DayDeliveries,
  type DeliveriesReport,
  dayOf,
} from "#domain/billing.ts";
import { log } from "#telemetry/log.ts";

/** Time for which attempts gather before they are reported. The first one after a pause is reported at once, without an alarm. */
const ROLL_UP_MS = 10_000;

/** In storage since a release that stored the totals here: those totals. */
const BEFORE = "activity";

/** Adds up attempts for the owner. Rejects if that fails. */
export type ReportDeliveries = (report: Omit<DeliveriesReport, "ownerId">) => Promise<void>;

/**
 * The attempts of a webhook, by day and hour, since this process began. The owner's object has the totals, so that no
 * attempt costs a row here: a crash loses the counts of a few seconds, a repeated report adds nothing.
 */
export class DeliveryActivity {
  readonly #kv: SyncKvStorage;
  readonly #report: ReportDeliveries;
  readonly #process = Date.now();
  #counted: DayDeliveries[] = [];
  #hasUnreported = false;
  #reportedMs = 0;

  constructor(kv: SyncKvStorage, report: ReportDeliveries) {
    this.#kv = kv;
    this.#report = report;
  }

  /** Count an attempt, failed or not. */
  count(isFailed: boolean, nowMs: number): void {
    const hours = countsAt(nowMs, { deliveries: 1, failedDeliveries: isFailed ? 1 : 0 });
    this.#counted = addDeliveries(this.#counted, [
      { day: dayOf(nowMs / 1000), attempts: 1, hours },
    ]);
    this.#hasUnreported = true;
  }

  /** The time of the next report, epoch milliseconds: `nowMs` or later. */
  nextDueMs(nowMs: number): number | undefined {
    return this.#hasUnreported ? Math.max(nowMs, this.#reportedMs + ROLL_UP_MS) : undefined;
  }

  /** Report the counts; if that fails, a later alarm retries. */
  async flush(webhookId: DeliveriesReport["webhookId"] | undefined, nowMs: number): Promise<void> {
    if (!this.#hasUnreported || webhookId === undefined) return;
    const days = this.#counted;
    this.#hasUnreported = false;
    this.#reportedMs = nowMs;
    try {
      await this.#report({ webhookId, process: this.#process, days, before: this.#before() });
    } catch (error) {
      this.#hasUnreported = true;
      log("deliveries_uncounted", { webhook_id: webhookId, error });
      return;
    }
    const today = dayOf(nowMs / 1000);
    if (!this.#hasUnreported) this.#counted = this.#counted.filter(({ day }) => day >= today);
  }

  #before(): DayDeliveries[] {
    const days = this.#kv.get<Record<string, Omit<DayDeliveries, "day">>>(BEFORE) ?? {};
    return Object.entries(days).map(([day, counts]) => ({ day, ...counts }));
  }
}
