import {
  DAY_SECONDS,
  dayOf,
  type DeliveriesReport,
  EMITTER_DAYS,
  type UsageReport,
} from "#domain/billing.ts";
import { fromJson, type JsonOf, toJson } from "#domain/json.ts";

import { type Days, type EmitterRow, NO_DAYS, type WebhookRow } from "./usage-rows.ts";

/** The tables of a payer's usage: totals of emitters and webhooks, and the time since which D1 lacks a part of them. */
export class UsageTables {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  emitter(id: string): EmitterRow | undefined {
    return this.#sql
      .exec<EmitterRow>("SELECT * FROM usage_reports WHERE emitter_id = ?", id)
      .toArray()[0];
  }

  webhook(id: string): WebhookRow | undefined {
    return this.#sql
      .exec<WebhookRow>("SELECT * FROM delivery_reports WHERE webhook_id = ?", id)
      .toArray()[0];
  }

  /** Emitters with usage that D1 lacks. */
  unwrittenEmitters(): EmitterRow[] {
    return this.#sql.exec<EmitterRow>("SELECT * FROM usage_reports WHERE since_ms > 0").toArray();
  }

  /** The timers of all emitters that have any. */
  timers(): { emitter_id: EmitterRow["emitter_id"]; timers: NonNullable<EmitterRow["timers"]> }[] {
    return this.#sql
      .exec<{ emitter_id: EmitterRow["emitter_id"]; timers: NonNullable<EmitterRow["timers"]> }>(
        "SELECT emitter_id, timers FROM usage_reports WHERE timers NOT NULL",
      )
      .toArray();
  }

  putTimers(id: EmitterRow["emitter_id"], timers: EmitterRow["timers"]): void {
    this.#sql.exec("UPDATE usage_reports SET timers = ? WHERE emitter_id = ?", timers, id);
  }

  /** Webhooks with attempts that D1 lacks. */
  unwrittenWebhooks(): WebhookRow[] {
    return this.#sql
      .exec<WebhookRow>("SELECT * FROM delivery_reports WHERE since_ms NOT NULL")
      .toArray();
  }

  /** The time since which D1 lacks a part; undefined: it has all. Reads the rows of all emitters and webhooks. */
  unwrittenSinceMs(): number | undefined {
    const { since } = this.#sql
      .exec<{ since: number | null }>(
        `SELECT min(since_ms) AS since FROM
           (SELECT since_ms FROM usage_reports UNION ALL SELECT since_ms FROM delivery_reports)
         WHERE since_ms > 0`,
      )
      .one();
    return since ?? undefined;
  }

  /**
   * Store the usage of an emitter, and its timers; `written` is the part in D1, if the table lacks the emitter. `nowMs`: 0 if
   * D1 lacks no part of it.
   */
  putEmitter(
    { emitterId, projectId = null }: Pick<UsageReport, "emitterId" | "projectId">,
    { days, written, timers }: Pick<EmitterRow, "days" | "written" | "timers">,
    nowMs: number,
  ): void {
    this.#sql.exec(
      `INSERT INTO usage_reports (emitter_id, project_id, days, written, timers, since_ms)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (emitter_id) DO UPDATE SET days = excluded.days, timers = excluded.timers,
         since_ms = iif(since_ms = 0, excluded.since_ms, since_ms)`,
      emitterId,
      projectId,
      days,
      written,
      timers,
      nowMs,
    );
  }

  putWebhook(
    { webhookId, process }: Pick<DeliveriesReport, "webhookId" | "process">,
    { before, days }: Pick<WebhookRow, "before" | "days">,
    nowMs: number,
  ): void {
    this.#sql.exec(
      `INSERT INTO delivery_reports (webhook_id, process, before, days, since_ms) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (webhook_id) DO UPDATE SET process = excluded.process, before = excluded.before,
         days = excluded.days, since_ms = coalesce(since_ms, excluded.since_ms)`,
      webhookId,
      process,
      before,
      days,
      nowMs,
    );
  }

  /** Record that these rows are in D1; later reports are not. `keeps`: whether rows of today stay. */
  settleEmitters(rows: readonly EmitterRow[], keeps: boolean, today: string): void {
    for (const { emitter_id, days } of rows) {
      const current = toJson(fromJson(days).filter(({ day }) => day >= today));
      if (keeps && current !== NO_DAYS)
        this.#sql.exec(
          `UPDATE usage_reports SET written = ?, since_ms = iif(days = ?, 0, since_ms),
             days = iif(days = ?, ?, days) WHERE emitter_id = ?`,
          current,
          days,
          days,
          current,
          emitter_id,
        );
      else this.#forget(emitter_id, days, keeps);
    }
    this.#sql.exec(
      `DELETE FROM usage_reports
       WHERE since_ms = 0 AND timers IS NULL AND (instr(days, ?) = 0 OR NOT ?)`,
      today,
      keeps ? 1 : 0,
    );
  }

  /** Forget usage that is in D1, unless there is later one. Timers stay. */
  #forget(id: EmitterRow["emitter_id"], days: EmitterRow["days"], keeps: boolean): void {
    const row = [id, days];
    const isUnchanged = "WHERE emitter_id = ? AND days = ?";
    this.#sql.exec(`DELETE FROM usage_reports ${isUnchanged} AND timers IS NULL`, ...row);
    this.#sql.exec(
      `UPDATE usage_reports SET since_ms = 0, days = ?, written = ? ${isUnchanged}`,
      NO_DAYS,
      keeps ? NO_DAYS : null,
      ...row,
    );
  }

  /** Record that these rows are in D1. Only their counts of today are needed for later reports. */
  settleWebhooks(rows: readonly WebhookRow[], today: string): void {
    const current = (days: JsonOf<Days>): JsonOf<Days> =>
      toJson(fromJson(days).filter(({ day }) => day >= today));
    for (const { webhook_id, process, before, days } of rows)
      this.#sql.exec(
        `UPDATE delivery_reports SET since_ms = NULL, before = ?, days = ?
         WHERE webhook_id = ? AND process = ? AND days = ?`,
        current(before),
        current(days),
        webhook_id,
        process,
        days,
      );
  }

  /** Delete totals of webhooks that are in D1, and so old that no report refers to them. Returns their number. */
  deleteOldWebhooks(nowMs: number): number {
    const oldestMs = nowMs - EMITTER_DAYS * DAY_SECONDS * 1000;
    return this.#sql
      .exec(
        `DELETE FROM delivery_reports WHERE since_ms IS NULL AND process < ? AND NOT EXISTS (
           SELECT 1 FROM (SELECT value FROM json_each(days) UNION ALL SELECT value FROM json_each(before))
           WHERE value ->> 'day' >= ?) RETURNING 1`,
        oldestMs,
        dayOf(oldestMs / 1000),
      )
      .toArray().length;
  }
}
