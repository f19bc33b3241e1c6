import type { Whose } from "#db/activity.ts";
import type { Found } from "#db/found.ts";
import { sourcesNear, webhooksNear, workflowsNear } from "#db/search-holders.ts";
import { DAY_SECONDS, dayOf } from "#domain/billing.ts";
import { deliveryKeyOf } from "#domain/delivery-ids.ts";
import { millisecondsOf, type Position, positionOf } from "#domain/event-ids.ts";
import { parseRunId } from "#domain/run-ids.ts";

import type { AppContext } from "./context.ts";

/** Maximum sources, workflows or webhooks that are queried for a record. */
const MAX_ASKED = 50;

type Needed = Pick<AppContext, "db" | "now" | "sources" | "webhooks" | "workflows">;

/** Whether a text is the whole id of an event, a run or a delivery, which `recordsWith` finds. */
export function isRecordId(text: string): boolean {
  return (
    positionOf(text) !== undefined ||
    deliveryKeyOf(text) !== undefined ||
    parseRunId(text) !== undefined
  );
}

/**
 * The events, runs and deliveries of an id. Objects store them, and the database does not know which one: this queries
 * the most likely ones of the owners' sources, workflows or webhooks.
 */
export async function recordsWith(ctx: Needed, whose: Whose, id: string): Promise<Found[]> {
  const position = positionOf(id);
  if (position !== undefined) return eventsWith(ctx, whose, { id, position });
  const delivery = deliveryKeyOf(id);
  if (delivery) return deliveriesWith(ctx, whose, { id, emitterId: delivery.emitterId });
  const run = parseRunId(id);
  return run ? runsWith(ctx, whose, { id, tickMs: run.tickMs }) : [];
}

async function eventsWith(
  ctx: Needed,
  whose: Whose,
  { id, position }: { id: string; position: Position },
): Promise<Found[]> {
  const at = new Date(millisecondsOf(position));
  const hour = { day: dayOf(at.getTime() / 1000), hour: at.getUTCHours() };
  const sources = await sourcesNear(ctx.db, whose, { ...hour, limit: MAX_ASKED });
  const found = await Promise.all(
    sources.map(async (source): Promise<Found[]> => {
      const { events } = await ctx.sources(source.id).eventsAt([id], false);
      return events.map(({ channel, meta }) => ({
        type: "event",
        id,
        name: meta.summary || source.name,
        detail: channel === "" ? null : channel,
        parentId: source.id,
        ownerId: source.ownerId,
      }));
    }),
  );
  return found.flat();
}

async function runsWith(
  ctx: Needed,
  whose: Whose,
  { id, tickMs }: { id: string; tickMs: number | undefined },
): Promise<Found[]> {
  const now = ctx.now();
  const days = tickMs === undefined ? [now, now - DAY_SECONDS] : [tickMs / 1000];
  const query = { days: days.map((at) => dayOf(at)), limit: MAX_ASKED };
  const workflows = await workflowsNear(ctx.db, whose, query);
  const found = await Promise.all(
    workflows.map(async (workflow): Promise<Found[]> => {
      const run = await ctx.workflows(workflow.id).run(id);
      return run ? [partOf(workflow, { type: "run", id, detail: run.state })] : [];
    }),
  );
  return found.flat();
}

async function deliveriesWith(
  ctx: Needed,
  whose: Whose,
  { id, emitterId }: { id: string; emitterId: string },
): Promise<Found[]> {
  const webhooks = await webhooksNear(ctx.db, whose, { emitterId, limit: MAX_ASKED });
  const found = await Promise.all(
    webhooks.map(async (webhook): Promise<Found[]> => {
      const delivery = await ctx.webhooks(webhook.id).delivery(id);
      return delivery ? [partOf(webhook, { type: "delivery", id, detail: delivery.state })] : [];
    }),
  );
  return found.flat();
}

function partOf(
  { id: parentId, name, ownerId }: Pick<Found, "name" | "ownerId"> & { id: string },
  part: Pick<Found, "detail" | "id" | "type">,
): Found {
  return { ...part, name, parentId, ownerId };
}
