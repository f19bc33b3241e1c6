import { z } from "@hono/zod-openapi";

import { type DayUsage, dayOf } from "#domain/billing.ts";

/** A calendar day. */
const Day = z
  .string()
  .refine(isDay, "must be a day, such as 2026-01-31")
  .openapi({ example: "2026-01-31" });

/** The days of a query. */
export const DaysQuery = { from: Day.optional(), to: Day.optional() };

/** The usage of one UTC day. */
export const DayUsageBody = z
  .object({
    day: z.string(),
    invocations: z.int(),
    compute_ms: z.int(),
    credits: z.int(),
  })
  .openapi("DayUsage");

/** The usage of one UTC day, as the API returns it. */
export function presentDayUsage(used: DayUsage): z.input<typeof DayUsageBody> {
  const { day, invocations, computeMs, credits } = used;
  return { day, invocations, compute_ms: computeMs, credits };
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(text);
  return !Number.isNaN(at) && dayOf(at / 1000) === text;
}
