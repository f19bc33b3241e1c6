import { z } from "@hono/zod-openapi";

import { ALERT_KINDS, alertId } from "#domain/alerts.ts";
import { isId } from "#domain/ids.ts";
import type { ListedAlert } from "#services/alerts.ts";

/** An alert as the API shows it. */
export const AlertBody = z
  .object({
    id: z.string(),
    kind: z.enum(ALERT_KINDS),
    subject: z.object({
      type: z.enum(["source", "workflow", "webhook"]),
      id: z.string(),
      name: z.string().nullable(),
    }),
    owner_id: z.string(),
    since: z.string(),
    until: z.string().nullable(),
    message: z.string(),
    error: z.object({ name: z.string(), message: z.string() }).nullable(),
    count: z.number().int(),
  })
  .openapi("Alert");

/** The filter of a list of alerts. */
export const AlertState = {
  state: z.enum(["open", "ended", "all"]).default("open"),
};

/** An alert as the API shows it. */
export function presentAlert(alert: ListedAlert): z.input<typeof AlertBody> {
  const { kind, subjectId: id, about, sinceMs, endedMs, message, error, count } = alert;
  return {
    id: alertId({ id }, { kind, sinceMs, ...(about !== "" && { about }) }, false),
    kind,
    subject: { type: typeOf(id), id, name: alert.name },
    owner_id: alert.ownerId,
    since: new Date(sinceMs).toISOString(),
    until: endedMs === null ? null : new Date(endedMs).toISOString(),
    message,
    error,
    count,
  };
}

function typeOf(id: string): "source" | "webhook" | "workflow" {
  if (isId("source", id)) return "source";
  return isId("workflow", id) ? "workflow" : "webhook";
}
