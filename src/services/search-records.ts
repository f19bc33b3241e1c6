import type { Whose } from "#db/activity.ts";
import type { Found } from "#db/found.ts";
import { emittersNear, type Holder, webhooksNear, workflowsNear } from "#db/search-holders.ts";
import { DAY_SECONDS, dayOf } from "#domain/billing.ts";
import { deliveryKeyOf } from "#domain/delivery-ids.ts";
import { millisecondsOf, type Position, positionOf } from "#domain/event-ids.ts";
import { isId } from "#domain/ids.ts";
import { parseRunId } from "#domain/run-ids.ts";

import type { AppContext } from "./context.ts";

/** Objects that are queried at the same time. */
const BATCH = 50;

/** Maximum objects that one search queries, within a Worker's 1,000 requests to others. */
const MAX_ASKED = 250;

/** Workflows that ran in these days, today included, are queried first for a run with a random id. */
const RECENT_DAYS = 7;

/** No event is older: other texts of the form of an event's id, such as dates, query no source. */
const OLDEST_MS = Date.UTC(2020, 0);

type Needed = Pick<AppContext, "db" | "now" | "sources" | "webhooks" | "workflows">;

/** A record's id, and the number of objects that were queried for it before. */
type RecordQuery = { id: string; offset: number };

/** The found records. `nextOffset`: the number of queried objects, if there are others. */
export type FoundRecords = { records: Found[]; nextOffset: number | null };

/** Whether a text is the whole id of an event, a run or a delivery, which `recordsWith` finds. */
export function isRecordId(text: string): boolean {
  return (
    eventPositionOf(text) !== undefined ||
    deliveryKeyOf(text) !== undefined ||
    parseRunId(text) !== undefined
  );
}

/**
 * The events, runs and deliveries of an id. Objects store them, and the database does not know which one: this queries
 * the owners' sources, workflows or webhooks, most likely ones first.
 */
export async function recordsWith(
  ctx: Needed,
  whose: Whose,
  query: RecordQuery,
): Promise<FoundRecords> {
  const { id, offset } = query;
  const position = eventPositionOf(id);
  if (position !== undefined) return eventsWith(ctx, whose, { id, offset, position });
  const delivery = deliveryKeyOf(id);
  if (delivery) return deliveriesWith(ctx, whose, { id, offset, emitterId: delivery.emitterId });
  const run = parseRunId(id);
  if (run) return runsWith(ctx, whose, { id, offset, tickMs: run.tickMs });
  return { records: [], nextOffset: null };
}

function eventPositionOf(id: string): Position | undefined {
  const position = positionOf(id);
  return position !== undefined && millisecondsOf(position) >= OLDEST_MS ? position : undefined;
}

async function eventsWith(
  ctx: Needed,
  whose: Whose,
  { id, position, offset }: RecordQuery & { position: Position },
): Promise<FoundRecords> {
  const at = new Date(millisecondsOf(position));
  const hour = { day: dayOf(at.getTime() / 1000), hour: at.getUTCHours() };
  return recordsIn(offset, {
    holders: (part) => emittersNear(ctx.db, whose, { ...hour, ...part }),
    read: async (emitter) => {
      const { events } = isId("source", emitter.id)
        ? await ctx.sources(emitter.id).eventsAt([id], false)
        : await ctx.workflows(emitter.id).eventsAt([id], false);
      return events.map(({ channel, meta }) => ({
        type: "event",
        id,
        name: meta.summary || emitter.name,
        detail: channel === "" ? null : channel,
        parentId: emitter.id,
        ownerId: emitter.ownerId,
      }));
    },
  });
}

async function runsWith(
  ctx: Needed,
  whose: Whose,
  { id, tickMs, offset }: RecordQuery & { tickMs: number | undefined },
): Promise<FoundRecords> {
  const isRandom = tickMs === undefined;
  const times = isRandom ? lastDays(ctx.now()) : [tickMs / 1000];
  const days = times.map((at) => dayOf(at));
  return recordsIn(offset, {
    isUnique: isRandom,
    holders: (part) => workflowsNear(ctx.db, whose, { days, ...part }),
    read: async (workflow) => {
      const run = await ctx.workflows(workflow.id).run(id);
      return run ? [partOf(workflow, { type: "run", id, detail: run.state })] : [];
    },
  });
}

/** A time of each of the last days, epoch seconds. */
function lastDays(now: number): number[] {
  return Array.from({ length: RECENT_DAYS }, (_, index) => now - index * DAY_SECONDS);
}

async function deliveriesWith(
  ctx: Needed,
  whose: Whose,
  { id, emitterId, offset }: RecordQuery & { emitterId: string },
): Promise<FoundRecords> {
  return recordsIn(offset, {
    holders: (part) => webhooksNear(ctx.db, whose, { emitterId, ...part }),
    read: async (webhook) => {
      const delivery = await ctx.webhooks(webhook.id).delivery(id);
      return delivery ? [partOf(webhook, { type: "delivery", id, detail: delivery.state })] : [];
    },
  });
}

/**
 * The records in a part of the holders, most likely ones first. Several holders may have a record of this id unless it is
 * unique, so that all likely ones are queried; others only until a record is found.
 */
async function recordsIn<Kind extends "source" | "webhook" | "workflow">(
  offset: number,
  {
    holders,
    read,
    isUnique = false,
  }: {
    holders: (part: { limit: number; offset: number }) => Promise<Holder<Kind>[]>;
    read: (holder: Holder<Kind>) => Promise<Found[]>;
    isUnique?: boolean;
  },
): Promise<FoundRecords> {
  // One more than are queried shows whether there are others.
  const listed = await holders({ limit: MAX_ASKED + 1, offset });
  const asked = listed.slice(0, MAX_ASKED);
  const records: Found[] = [];
  for (let first = 0; first < asked.length; first += BATCH) {
    if (records.length > 0 && (isUnique || asked[first]?.isLikely === false))
      return { records, nextOffset: null };
    const batch = asked.slice(first, first + BATCH);
    // oxlint-disable-next-line no-await-in-loop -- most searches end with the first batch.
    records.push(...(await Promise.all(batch.map((holder) => read(holder)))).flat());
  }
  return { records, nextOffset: listed.length > MAX_ASKED ? offset + MAX_ASKED : null };
}

function partOf(
  { id: parentId, name, ownerId }: Pick<Found, "name" | "ownerId"> & { id: string },
  part: Pick<Found, "detail" | "id" | "type">,
): Found {
  return { ...part, name, parentId, ownerId };
}
