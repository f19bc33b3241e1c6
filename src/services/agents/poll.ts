import { type Occurrence, occurrenceOf } from "#domain/agent-events.ts";
import { encodeCursor } from "#domain/page.ts";

import { admitPoll } from "./admission.ts";
import { type AgentContext, requireKind } from "./context.ts";
import { eventsAfter, newestEvent, placeOf } from "./event-history.ts";
import { type EventArguments, filterOf, sourceOfType } from "./events.ts";

/** A poll of an event type: the events after a cursor, or no events and the current cursor. */
export type EventPoll = {
  name: string;
  arguments: EventArguments;
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

/** The events of a source's default channel after a cursor; without one, no events and the current cursor. */
export async function pollEvents(
  agent: AgentContext,
  { name, cursor, maxEvents, maxAgeMs, arguments: args }: EventPoll,
): Promise<PolledEvents> {
  requireKind(agent, "subscribe");
  const [after, filter] = [placeOf(cursor), filterOf(args)];
  const id = await sourceOfType(agent, name);
  await admitPoll(agent);
  if (after === undefined) {
    const newest = await newestEvent(agent, id);
    return { events: [], cursor: cursorAt(newest), hasMore: false, truncated: false };
  }
  const query = { after, maxAgeMs, limit: maxEvents, filter };
  const { events, reached, ...part } = await eventsAfter(agent, id, query);
  return {
    events: events.map((event) => occurrenceOf(name, event)),
    cursor: cursorAt(reached),
    ...part,
  };
}

function cursorAt(id: string): string {
  return encodeCursor({ kind: "event", id });
}
