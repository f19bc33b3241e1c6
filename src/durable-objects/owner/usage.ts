import { COUNTS } from "#domain/activity.ts";
import {
  dayOf,
  type DeliveriesReport,
  laterDeliveries,
  laterUsage,
  type PayerUsage,
  addDeliveries,
  type UsageReport,
  USAGE_FLUSH_SECONDS,
} from "#domain/billing.ts";
import type { OwnerId } from "#domain/ids.ts";
import { fromJson, type JsonOf, toJson } from "#domain/json.ts";
import type { Allowance } from "#domain/quotas.ts";
import { log } from "#telemetry/log.ts";

const FLUSH_MS = USAGE_FLUSH_SECONDS * 1000;

/** Time for which the count of a failed delivery gathers: operators look for failing webhooks in D1. */
const FAILURE_FLUSH_MS = 5000;

/** Number of emitters, and number of webhooks, that are written to D1 at a time. */
const PART_LENGTH = 100;

/** In storage: whether the payer has quotas, by the last response of D1. */
const LIMITED = "limited";

const FAILED_AT = COUNTS.indexOf("failedDeliveries");

type Emitter = PayerUsage["emitters"][number];
type EmitterRow = {
  emitter_id: Emitter["emitterId"];
  project_id: Emitter["projectId"];
  days: JsonOf<Emitter["days"]>;
};

type Days = PayerUsage["webhooks"][number]["days"];
type WebhookRow = {
  webhook_id: DeliveriesReport["webhookId"];
  process: number;
  before: JsonOf<Days>;
  days: JsonOf<Days>;
  since_ms: number | null;
};

/** Rejects if D1 fails. Totals may be recorded again: only the difference counts. */
export type RecordUsage = (usage: PayerUsage) => Promise<Allowance>;

/**
 * The usage of a payer that is not in D1 yet. Reports are stored before they are acknowledged, and written to D1
 * together, at intervals. They contain totals, so a crash meanwhile neither loses nor doubles any.
 */
export class UsageBuffer {
  readonly #storage: DurableObjectStorage;
  readonly #payerId: () => OwnerId;
  readonly #record: RecordUsage;
  #quotaChanges = 0;
  #failureFlushMs = 0;

  constructor(storage: DurableObjectStorage, payerId: () => OwnerId, record: RecordUsage) {
    this.#storage = storage;
    this.#payerId = payerId;
    this.#record = record;
  }

  /** Store a report. For a payer with quotas, each report reads the rest of them from D1. */
  async report({ emitterId, days, projectId = null }: UsageReport): Promise<Allowance> {
    const isLimited = this.#storage.kv.get<boolean>(LIMITED);
    if (isLimited !== false) return this.#pass({ emitterId, days, projectId });
    this.#storage.transactionSync(() => {
      const known = this.#emitter(emitterId);
      const later = toJson(laterUsage(known ? fromJson(known.days) : [], days));
      if (later === known?.days || days.length === 0) return;
      this.#arm();
      this.#storage.sql.exec(
        `INSERT INTO usage_reports (emitter_id, project_id, days, since_ms) VALUES (?, ?, ?, ?)
         ON CONFLICT (emitter_id) DO UPDATE SET days = excluded.days`,
        emitterId,
        projectId,
        later,
        Date.now(),
      );
    });
    return null;
  }

  /** Store the counts of a webhook's process. Those of an earlier process stay; a late report of one is void. */
  reportDeliveries(report: DeliveriesReport): void {
    this.#storage.transactionSync(() => {
      const known = this.#webhook(report.webhookId);
      if (known && report.process < known.process) return;
      const next = countedWith(known, report);
      if (known && next.before === known.before && next.days === known.days) return;
      this.#arm();
      if (failedIn(next) > (known ? failedIn(known) : 0)) this.#armForFailure();
      this.#storage.sql.exec(
        `INSERT INTO delivery_reports (webhook_id, process, before, days, since_ms) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (webhook_id) DO UPDATE SET process = excluded.process, before = excluded.before,
           days = excluded.days, since_ms = coalesce(since_ms, excluded.since_ms)`,
        report.webhookId,
        report.process,
        next.before,
        next.days,
        Date.now(),
      );
    });
  }

  /** Write all stored usage to D1. Rejects if that fails: it stays stored. */
  async flush(): Promise<void> {
    const [emitters, webhooks] = [this.#emitters(), this.#webhooks()];
    for (let from = 0; from < Math.max(emitters.length, webhooks.length); from += PART_LENGTH) {
      const to = from + PART_LENGTH;
      await this.#write({ emitters: emitters.slice(from, to), webhooks: webhooks.slice(from, to) });
    }
  }

  /** Handle the alarm: write all stored usage. If D1 fails, a later alarm retries. */
  async handleAlarm(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      log("usage_unreported", { owner_id: this.#payerId(), error });
    }
    // Also for reports that arrived meanwhile.
    if (this.#sinceMs() !== undefined) await this.#storage.setAlarm(Date.now() + FLUSH_MS);
  }

  /** Read the quotas from D1 with the next report. */
  forgetQuotas(): void {
    this.#quotaChanges += 1;
    if (this.#storage.kv.get<boolean>(LIMITED) !== undefined) this.#storage.kv.delete(LIMITED);
  }

  /** Write a report to D1 without storing it: its emitter still has it. Earlier stored ones are written first. */
  async #pass(report: Emitter): Promise<Allowance> {
    await this.flush();
    return this.#recorded({ emitters: [report], webhooks: [] });
  }

  async #write(rows: { emitters: EmitterRow[]; webhooks: WebhookRow[] }): Promise<void> {
    await this.#recorded({
      emitters: rows.emitters.map((row) => emitterOf(row)),
      webhooks: rows.webhooks.map(({ webhook_id: webhookId, before, days }) => {
        return { webhookId, days: addDeliveries(fromJson(before), fromJson(days)) };
      }),
    });
    this.#storage.transactionSync(() => this.#settle(rows.emitters, rows.webhooks));
  }

  async #recorded(usage: Omit<PayerUsage, "payerId">): Promise<Allowance> {
    const changes = this.#quotaChanges;
    const allowance = await this.#record({ payerId: this.#payerId(), ...usage });
    const isLimited = allowance !== null;
    // A response from before the change of the quotas is outdated.
    if (changes === this.#quotaChanges && this.#storage.kv.get(LIMITED) !== isLimited)
      this.#storage.kv.put(LIMITED, isLimited);
    return allowance;
  }

  /** Record that these rows are in D1; later reports are not. */
  #settle(emitters: readonly EmitterRow[], webhooks: readonly WebhookRow[]): void {
    const { sql } = this.#storage;
    for (const { emitter_id, days } of emitters)
      sql.exec("DELETE FROM usage_reports WHERE emitter_id = ? AND days = ?", emitter_id, days);
    const today = dayOf(Date.now() / 1000);
    const current = (days: JsonOf<Days>): JsonOf<Days> =>
      toJson(fromJson(days).filter(({ day }) => day >= today));
    for (const { webhook_id, process, before, days } of webhooks)
      sql.exec(
        `UPDATE delivery_reports SET since_ms = NULL, before = ?, days = ?
         WHERE webhook_id = ? AND process = ? AND days = ?`,
        current(before),
        current(days),
        webhook_id,
        process,
        days,
      );
  }

  #emitter(id: string): EmitterRow | undefined {
    return this.#storage.sql
      .exec<EmitterRow>("SELECT * FROM usage_reports WHERE emitter_id = ?", id)
      .toArray()[0];
  }

  #webhook(id: string): WebhookRow | undefined {
    return this.#storage.sql
      .exec<WebhookRow>("SELECT * FROM delivery_reports WHERE webhook_id = ?", id)
      .toArray()[0];
  }

  #emitters(): EmitterRow[] {
    return this.#storage.sql.exec<EmitterRow>("SELECT * FROM usage_reports").toArray();
  }

  #webhooks(): WebhookRow[] {
    return this.#storage.sql
      .exec<WebhookRow>("SELECT * FROM delivery_reports WHERE since_ms NOT NULL")
      .toArray();
  }

  /** The time of the oldest stored usage that is not in D1. */
  #sinceMs(): number | undefined {
    const { since } = this.#storage.sql
      .exec<{ since: number | null }>(
        `SELECT min(since_ms) AS since FROM
           (SELECT since_ms FROM usage_reports UNION ALL SELECT since_ms FROM delivery_reports)`,
      )
      .one();
    return since ?? undefined;
  }

  /** Bring the alarm forward, unless it was for an earlier failure. */
  #armForFailure(): void {
    const nowMs = Date.now();
    if (this.#failureFlushMs > nowMs) return;
    this.#failureFlushMs = nowMs + FAILURE_FLUSH_MS;
    void this.#storage.setAlarm(this.#failureFlushMs);
  }

  /** Set the alarm, unless it is set for earlier reports; a lost one is set anew. */
  #arm(): void {
    const sinceMs = this.#sinceMs();
    const nowMs = Date.now();
    if (sinceMs === undefined || sinceMs < nowMs - 2 * FLUSH_MS)
      void this.#storage.setAlarm(nowMs + FLUSH_MS);
  }
}

/** The number of failed deliveries in a row's counts. */
function failedIn({ before, days }: Pick<WebhookRow, "before" | "days">): number {
  return addDeliveries(fromJson(before), fromJson(days))
    .flatMap(({ hours }) => Object.values(hours))
    .reduce((sum, counts) => sum + (counts[FAILED_AT] ?? 0), 0);
}

function emitterOf({ emitter_id, project_id, days }: EmitterRow): Emitter {
  return { emitterId: emitter_id, projectId: project_id, days: fromJson(days) };
}

function countedWith(
  known: WebhookRow | undefined,
  { process, days, before }: DeliveriesReport,
): { before: JsonOf<Days>; days: JsonOf<Days> } {
  if (!known) return { before: toJson(before), days: toJson(days) };
  if (known.process === process)
    return { before: known.before, days: toJson(laterDeliveries(fromJson(known.days), days)) };
  return {
    before: toJson(addDeliveries(fromJson(known.before), fromJson(known.days))),
    days: toJson(days),
  };
}
