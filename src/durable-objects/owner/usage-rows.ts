import { COUNTS } from "#domain/activity.ts";
import {
  addDeliveries,
  addUsed,
  type DeliveriesReport,
  laterDeliveries,
  NOTHING_USED,
  type PayerUsage,
  type Used,
} from "#domain/billing.ts";
import { fromJson, type JsonOf, toJson } from "#domain/json.ts";
import type { Tick } from "#domain/schedule.ts";

const FAILED_AT = COUNTS.indexOf("failedDeliveries");

type Emitter = PayerUsage["emitters"][number];

/** The usage of an emitter that is not in D1, or not only there. */
export type EmitterRow = {
  emitter_id: Emitter["emitterId"];
  project_id: Emitter["projectId"];
  days: JsonOf<Emitter["days"]>;
  /** Of a payer with quotas: the days that D1 has; null: unknown. */
  written: JsonOf<Emitter["days"]> | null;
  /** The next ticks of its timers; null: it has none. */
  timers: JsonOf<Tick[]> | null;
};

/** The attempts of a webhook by day. */
export type Days = PayerUsage["webhooks"][number]["days"];

/** The counts of a webhook: of its last process, and of those before. */
export type WebhookRow = {
  webhook_id: DeliveriesReport["webhookId"];
  process: number;
  before: JsonOf<Days>;
  days: JsonOf<Days>;
  since_ms: number | null;
};

/** A list without days, as stored. */
export const NO_DAYS = toJson<Emitter["days"]>([]);

/** The usage of a day that is not in D1. Rows of emitters whose share in D1 is unknown are not included. */
export function owedOn(today: string, rows: readonly Pick<EmitterRow, "days" | "written">[]): Used {
  let sum = NOTHING_USED;
  for (const { days, written } of rows) {
    if (written === null) continue;
    for (const used of fromJson(days).filter(({ day }) => day === today)) sum = addUsed(sum, used);
    for (const used of fromJson(written).filter(({ day }) => day === today))
      sum = addUsed(sum, used, -1);
  }
  return sum;
}

/** The number of failed deliveries in a row's counts. */
export function failedIn({ before, days }: Pick<WebhookRow, "before" | "days">): number {
  return addDeliveries(fromJson(before), fromJson(days))
    .flatMap(({ hours }) => Object.values(hours))
    .reduce((sum, counts) => sum + (counts[FAILED_AT] ?? 0), 0);
}

/** The report of a row. */
export function emitterOf({ emitter_id, project_id, days }: EmitterRow): Emitter {
  return { emitterId: emitter_id, projectId: project_id, days: fromJson(days) };
}

/** The counts of a row after another report. */
export function countedWith(
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
