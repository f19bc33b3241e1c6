import { addHours, countsAt, type HourCounts } from "#domain/activity.ts";
import { type DayDeliveries, dayOf } from "#domain/billing.ts";
import { log } from "#telemetry/log.ts";

/** How long attempts gather before they are reported: the alarm that looks after deliveries rings then anyway. */
const ROLL_UP_MS = 10_000;

const KEY = "activity";

type Days = Record<string, Omit<DayDeliveries, "day">>;

/** Adds up attempts in the directory. Rejects where that fails. */
export type ReportDeliveries = (webhookId: string, days: DayDeliveries[]) => Promise<void>;

/**
 * How often a webhook sent, by day and hour. Attempts are counted in memory, so that none costs a row, and added to the
 * stored totals when these are reported: a crash loses the counts of a few seconds, a repeated report adds nothing.
 */
export class DeliveryActivity {
  readonly #kv: SyncKvStorage;
  readonly #report: ReportDeliveries;
  #counted: Days = {};
  #isOwed = false;

  constructor(kv: SyncKvStorage, report: ReportDeliveries) {
    this.#kv = kv;
    this.#report = report;
  }

  /** One more attempt, which failed or not. */
  count(isFailed: boolean, nowMs: number): void {
    const hours = countsAt(nowMs, { deliveries: 1, failedDeliveries: isFailed ? 1 : 0 });
    this.#counted = sum(this.#counted, { [dayOf(nowMs / 1000)]: { attempts: 1, hours } });
    this.#isOwed = true;
  }

  /** When the next report is due, epoch milliseconds. */
  nextDueMs(nowMs: number): number | undefined {
    return this.#isOwed ? nowMs + ROLL_UP_MS : undefined;
  }

  /** Report the counts; if that fails, a later alarm retries. */
  async flush(webhookId: string | undefined, nowMs: number): Promise<void> {
    if (!this.#isOwed || webhookId === undefined) return;
    const days = sum(this.#kv.get<Days>(KEY) ?? {}, this.#counted);
    this.#kv.put(KEY, days);
    this.#counted = {};
    this.#isOwed = false;
    try {
      await this.#report(
        webhookId,
        Object.entries(days).map(([day, counts]) => ({ day, ...counts })),
      );
    } catch (error) {
      this.#isOwed = true;
      log("deliveries_uncounted", { webhook_id: webhookId, error });
      return;
    }
    const today = dayOf(nowMs / 1000);
    const over = Object.keys(days).filter((day) => day < today);
    if (over.length > 0) this.#kv.put(KEY, without(days, over));
  }
}

function sum(a: Days, b: Days): Days {
  const sums = Object.entries(b).map(([day, { attempts, hours }]) => {
    const known = a[day] ?? { attempts: 0, hours: {} satisfies HourCounts };
    const both = {
      attempts: known.attempts + attempts,
      hours: addHours(known.hours, hours),
    };
    return [day, both] as const;
  });
  return { ...a, ...Object.fromEntries(sums) };
}

function without(days: Days, names: readonly string[]): Days {
  return Object.fromEntries(Object.entries(days).filter(([day]) => !names.includes(day)));
}
