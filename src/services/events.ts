import { ERROR_CHANNEL, SYSTEM_PREFIX } from "#domain/channels.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import { positionOf } from "#domain/event-ids.ts";
import type { EventPage, EventPart, EventQuery, EventRange, EventSummary } from "#domain/events.ts";
import type { Id } from "#domain/ids.ts";
import { MAX_SHARDS } from "#domain/source-shards.ts";
import { placesOf } from "#domain/stream-places.ts";

import type { Context, FollowQuery } from "./context.ts";
import { getSource } from "./sources/read.ts";
import { workflowFor } from "./workflows/runs.ts";

const PLACE_RULE = `must be the id of a message of the stream, or of an event, such as 1700000000000-0: one to ${MAX_SHARDS} ids of events, joined by _`;

export type { EventQuery, EventRange, EventSummary } from "#domain/events.ts";

/** A page of events as far as one call carries it, and the position of the rest. */
export type EventList = EventPage & { read: (ids: string[]) => Promise<EventPart> };

/** A page of a source's events. */
export async function listSourceEvents(
  ctx: Pick<Context, "actor" | "db" | "sources">,
  id: Id<"source">,
  query: EventQuery,
): Promise<EventList> {
  await getSource(ctx, id);
  const source = ctx.sources(id);
  const read = (ids: string[]) => source.eventsAt(ids, query.expand);
  return { ...(await source.events(query)), read };
}

/** One event of a source, whole. */
export async function getSourceEvent(
  ctx: Pick<Context, "actor" | "db" | "sources">,
  id: Id<"source">,
  event: string,
): Promise<EventSummary> {
  await getSource(ctx, id);
  const { events } = await ctx.sources(id).eventsAt([event], true);
  const [found] = events;
  if (!found) throw eventMissing(event);
  return found;
}

/** Send an event of a source again, to its current listeners. Refuses channels that have no listeners. */
export async function replayEvent(
  ctx: Pick<Context, "actor" | "db" | "requestId" | "sources">,
  id: Id<"source">,
  event: string,
): Promise<EventSummary> {
  const { channel } = await getSourceEvent(ctx, id, event);
  if (channel.startsWith(SYSTEM_PREFIX) && channel !== ERROR_CHANNEL)
    throw new RequestError("conflict", `An event of ${channel} cannot be replayed`);
  const replayed = await ctx.sources(id).replay(event, ctx.requestId);
  if (!replayed) throw eventMissing(event);
  return replayed;
}

function eventMissing(id: string): RequestError {
  return new RequestError("not_found", `No event with id ${id}`);
}

/** Hide events of a source from every reader at once; their rows are deleted later. */
export async function deleteSourceEvents(
  ctx: Pick<Context, "actor" | "db" | "sources">,
  id: Id<"source">,
  range: EventRange,
): Promise<void> {
  const ends = { start_id: range.startId, end_id: range.endId };
  const issues = Object.entries(ends)
    .filter(([, end]) => end !== undefined && positionOf(end) === undefined)
    .map(([path]) => ({ path, message: "must be the id of an event, such as 1700000000000-0" }));
  if (issues.length > 0) throw invalidInput(issues);
  await getSource(ctx, id);
  await ctx.sources(id).deleteEvents(range);
}

/** A page of a workflow's events; `$errors` are its error records. */
export async function listWorkflowEvents(
  ctx: Pick<Context, "actor" | "db" | "workflows">,
  id: Id<"workflow">,
  query: EventQuery,
): Promise<EventList> {
  await workflowFor(ctx, id);
  const workflow = ctx.workflows(id);
  const read = (ids: string[]) => workflow.eventsAt(ids, query.expand);
  return { ...(await workflow.events(query)), read };
}

/** Stream the events of a workflow, and the messages of its steps to followers. */
export async function followWorkflow(
  ctx: Pick<Context, "actor" | "db" | "follow" | "keyHash">,
  id: Id<"workflow">,
  query: FollowQuery,
): Promise<Response> {
  checkPlace(query);
  const { ownerId } = await workflowFor(ctx, id);
  return ctx.follow(ctx.keyHash, { id, ownerId }, query);
}

/** Stream a source's events as they are emitted. */
export async function followSource(
  ctx: Pick<Context, "actor" | "db" | "follow" | "keyHash">,
  id: Id<"source">,
  query: FollowQuery,
): Promise<Response> {
  checkPlace(query);
  const { ownerId } = await getSource(ctx, id);
  return ctx.follow(ctx.keyHash, { id, ownerId }, query);
}

/** Refuse to resume after anything but the id of an event or of a message. */
export function checkPlace({ lastEventId }: Pick<FollowQuery, "lastEventId">): void {
  if (lastEventId !== undefined && placesOf(lastEventId) === undefined)
    throw invalidInput([{ path: "Last-Event-ID", message: PLACE_RULE }]);
}
