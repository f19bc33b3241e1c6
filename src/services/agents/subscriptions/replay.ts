import { positionOf } from "#domain/event-ids.ts";
import { HISTORY_LENGTH } from "#domain/events.ts";
import type { Id } from "#domain/ids.ts";

import type { AppContext } from "../../context.ts";
import { eventsAfter } from "../event-history.ts";
import { type EventType, filterOf } from "../event-types.ts";

/** The part of a source's history for a new subscription. */
export type Replay = {
  sourceId: Id<"source">;
  webhookId: Id<"webhook">;
  type: Pick<EventType, "filter">;
  /** The id of the last event that the webhook has; undefined: it begins now. */
  after: string | undefined;
  maxAgeMs: number | undefined;
};

/**
 * Submit the stored events after one to a webhook. It drops those that it has already, also from the router.
 * Returns whether some were left out.
 */
export async function replay(
  ctx: Pick<AppContext, "sources" | "webhooks">,
  { sourceId, webhookId, type, maxAgeMs, ...begin }: Replay,
): Promise<{ truncated: boolean }> {
  let { after } = begin;
  if (after === undefined) return { truncated: false };
  const query = { limit: HISTORY_LENGTH, filter: filterOf(type) };
  let truncated: boolean | undefined;
  for (let hasMore = true; hasMore;) {
    const part = await eventsAfter(ctx, sourceId, { ...query, after, maxAgeMs });
    await ctx.webhooks(webhookId).take(
      part.events.map(({ id, emitId, channel, payload }) => ({
        position: positionOf(id) ?? 0,
        emitterId: sourceId,
        eventId: id,
        emitId,
        eventName: channel,
        hops: 1,
        payload,
      })),
    );
    truncated ??= part.truncated;
    after = part.reached;
    hasMore = part.hasMore;
  }
  return { truncated: truncated ?? false };
}
