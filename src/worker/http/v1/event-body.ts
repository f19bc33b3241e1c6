import { z } from "@hono/zod-openapi";

import { valueOf } from "#domain/json.ts";
import { eventOf } from "#domain/page.ts";
import type { EventSummary } from "#services/events.ts";

import { cursor, Limit, oneCursor } from "../openapi.ts";

export const EventSummaryBody = z
  .object({
    id: z.string(),
    indexed_at_ms: z.int(),
    event: z.any(),
    metadata: z.object({
      emit_id: z.string(),
      name: z.string(),
      emitter_id: z.string(),
      id: z.string().optional(),
      summary: z.string().optional(),
      ts: z.int().optional(),
      replay_of: z.string().optional(),
    }),
    truncated: z.literal(true).optional(),
  })
  .openapi("EventSummary");

/** The parameters of a list of event summaries (docs/contract.md: Event summaries). */
export const SummariesQuery = z
  .object({
    limit: Limit,
    after: cursor(eventOf),
    before: cursor(eventOf),
    expand: z.string().optional(),
    event_name: z.string().optional(),
  })
  .refine(oneCursor.check, oneCursor.issue);

type OpenedQuery = {
  limit: number;
  after: string | undefined;
  before: string | undefined;
  expand?: string | undefined;
};

/** The query for services. */
export function wantedEvents(
  { limit, after, before, expand }: OpenedQuery,
  channel: string | undefined,
) {
  return { limit, after, before, channel, expand: expand === "event" };
}

export function presentEvent(
  summary: EventSummary,
  emitter: string,
): z.input<typeof EventSummaryBody> {
  return {
    id: summary.id,
    indexed_at_ms: summary.indexedAtMs,
    event: valueOf(summary.payload),
    metadata: {
      emit_id: summary.emitId,
      name: summary.channel,
      emitter_id: emitter,
      ...summary.meta,
    },
    ...(summary.truncated && { truncated: true }),
  };
}
