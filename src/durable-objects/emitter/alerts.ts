import {
  type AlertChange,
  type AlertReport,
  type AlertState,
  alertBody,
  alertId,
  countOf,
  MAX_RUNS_PER_ALERT,
  NO_ALERTS,
  type Subject,
} from "#domain/alerts.ts";
import { leftFor } from "#domain/chains.ts";
import { ALERT_CHANNEL } from "#domain/channels.ts";
import { MAX_HOPS } from "#domain/deliveries.ts";
import { toJson } from "#domain/json.ts";
import { log } from "#telemetry/log.ts";

import type { NewEvent } from "./history.ts";

const KEY = "alerts";

/** Time for which the counts of open alerts gather before they are reported: each report costs rows. */
const COUNT_DELAY_MS = 10 * 60_000;

/** Delay of the next report after a failed one. */
const RETRY_DELAY_MS = 60_000;

/** The cause of an alert: chains of alerts must end, as those of other events. */
type Cause = { hops: number; budget?: number | undefined; requestId?: string | undefined };

/** The stored state. `version`: of the last change; `reportDueMs`: the time of the report to the directory. */
type Kept = AlertState & { version?: number; reportDueMs?: number };

/** Reports the open alerts to the directory. */
export type ReportAlerts = (report: AlertReport) => Promise<void>;

/** The alerts of an object, kept in its storage. Each change belongs into the transaction that appends its events. */
export class Alerts {
  readonly #kv: SyncKvStorage;
  readonly #report: ReportAlerts;
  // Cached, so that a successful run reads nothing.
  #state: Kept | undefined;

  constructor(kv: SyncKvStorage, report: ReportAlerts) {
    this.#kv = kv;
    this.#report = report;
  }

  /** Apply a change, if there is one. Returns the events that report it. */
  change(
    subject: Subject,
    decide: (state: AlertState) => AlertChange | undefined,
    { hops, budget, requestId }: Cause = { hops: 0 },
  ): NewEvent[] {
    const old = this.state();
    const change = decide(old);
    if (!change) return [];
    const dueMs = dueAfter(change, old.reportDueMs);
    this.#put({ ...change.state, ...(old.version && { version: old.version }) }, dueMs);
    return change.notifications.map(({ alert, isRecovered }) => ({
      channel: ALERT_CHANNEL,
      emitId: alertId(subject, alert, isRecovered),
      payload: alertBody(subject, alert, isRecovered ? Date.now() : null),
      meta: toJson({}),
      // A chain at its end still notifies a person: webhooks deliver events that emitters no longer run.
      hops: Math.min(hops + 1, MAX_HOPS),
      budget: Math.max(1, Math.min(MAX_RUNS_PER_ALERT, leftFor(budget))),
      requestId,
    }));
  }

  /** The current state. */
  state(): Kept {
    this.#state ??= this.#kv.get<Kept>(KEY) ?? NO_ALERTS;
    return this.#state;
  }

  /** Drop cached state that a failed transaction may have rolled back. */
  reset(): void {
    this.#state = undefined;
  }

  /** The time of the next report to the directory, epoch milliseconds. */
  nextDueMs(): number | undefined {
    const { version, reportDueMs, open } = this.state();
    // An alert of a release without reports has no version, and is reported once.
    return version === undefined && open.length > 0 ? 0 : reportDueMs;
  }

  /** Report open alerts to the directory, if that is due. A failure is logged and retried. */
  async report(subjectId: string, nowMs: number): Promise<void> {
    const dueMs = this.nextDueMs();
    if (dueMs === undefined || dueMs > nowMs) return;
    const { version, open } = this.state();
    const reported = open.map(({ kind, about = "", sinceMs, message, error, ...alert }) => ({
      kind,
      about,
      sinceMs,
      message,
      error: error ?? null,
      count: countOf(alert),
    }));
    try {
      await this.#report({ subjectId, version: version ?? 0, open: reported });
    } catch (error) {
      log("alerts_unreported", { subject_id: subjectId, error });
      this.#postpone(nowMs + RETRY_DELAY_MS);
      return;
    }
    // Changes made meanwhile are in the next report.
    if (this.state().version === version) this.#postpone(undefined);
  }

  #postpone(dueMs: number | undefined): void {
    const { reportDueMs: _, ...rest } = this.state();
    const kept = { version: 0, ...rest, ...(dueMs !== undefined && { reportDueMs: dueMs }) };
    this.#kv.put<Kept>(KEY, kept);
    this.#state = kept;
  }

  #put(state: Kept, reportDueMs: number | undefined): void {
    // Versions never decrease, even if a backup restores an object that had none.
    const version = Math.max(Date.now(), (state.version ?? 0) + 1);
    const kept = { ...state, version, ...(reportDueMs !== undefined && { reportDueMs }) };
    this.#kv.put<Kept>(KEY, kept);
    this.#state = kept;
  }
}

/**
 * The time of the report of a change: at once for a notification, after a delay for a count, never for a count of
 * failures.
 */
function dueAfter(
  { state, notifications }: AlertChange,
  dueMs: number | undefined,
): number | undefined {
  const nowMs = Date.now();
  if (notifications.length > 0) return nowMs;
  return state.open.length > 0 ? (dueMs ?? nowMs + COUNT_DELAY_MS) : dueMs;
}
