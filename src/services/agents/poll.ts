import { type Occurrence, occurrenceOf } from "#domain/agent-events.ts";
import type { EventSummary } from "#domain/events.ts";

import { admitPoll } from "./admission.ts";
import { type AgentContext, requireKind } from "./context.ts";
import { cursorAfter, eventIdIn, eventsAfter, isBefore, placeOfNow } from "./event-history.ts";
import { filterOf, type NamedEventType, openEventType } from "./event-types.ts";
import { sourceOfType } from "./shared-sources/share.ts";

/** A poll of an event type: the events after a cursor, or none and the cursor of now. */
export type EventPoll = NamedEventType & {
  cursor: string | undefined;
  maxEvents: number;
  maxAgeMs: number | undefined;
};

/** Events, oldest first, and the cursor for the next poll. */
export type PolledEvents = {
  events: Occurrence[];
  cursor: string;
  hasMore: boolean;
  /** Whether events after the cursor may have been left out. */
  truncated: boolean;
};

/**
 * The events of an event type after a cursor; without one, no events and the current cursor. The source of a component is deployed
 * by the first poll, and kept for some time by each.
 */
export async function pollEvents(
  agent: AgentContext,
  { cursor, maxEvents, maxAgeMs, ...named }: EventPoll,
): Promise<PolledEvents> {
  requireKind(agent, "subscribe");
  const { name } = named;
  const after = await eventIdIn(agent, { name, cursor });
  const type = await openEventType(agent, named);
  await admitPoll(agent);
  const source = await sourceOfType(agent, type, "polls");
  if (after === undefined) {
    const now = await placeOfNow(agent, source);
    const current = await cursorAfter(agent, name, now);
    return { events: [], cursor: current, hasMore: false, truncated: false };
  }
  const query = { after, maxAgeMs, limit: maxEvents, filter: filterOf(type) };
  const { events, reached, truncated, hasMore } = await eventsAfter(agent, source.id, query);
  return {
    events: await occurrencesOf(agent, name, events),
    cursor: await cursorAfter(agent, name, reached),
    hasMore,
    truncated: truncated || isBefore(after, source),
  };
}

function occurrencesOf(
  agent: AgentContext,
  name: string,
  events: readonly EventSummary[],
): Promise<Occurrence[]> {
  return Promise.all(
    events.map(async (event) =>
      occurrenceOf(name, event, await cursorAfter(agent, name, event.id)),
    ),
  );
}
