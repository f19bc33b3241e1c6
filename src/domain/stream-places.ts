import { eventId, millisecondsOf, type Position, positionAt, positionOf } from "./event-ids.ts";
import { MAX_SHARDS, type Shard } from "./source-shards.ts";

const SEPARATOR = "_";

/** Events of several objects have no common order: one may be streamed so long after an event with a later position. */
export const OVERTAKING_MS = 2000;

/** The last position that a reader of a stream has of each shard of a source, by number. A single one is that of all shards. */
export type Places = readonly Position[];

/** The id of a message in a stream: the places of its reader, once it has the message. */
export function messageId(places: Places): string {
  return places.map(eventId).join(SEPARATOR);
}

/** The places in the id of a message, or undefined if it is none. */
export function placesOf(id: string): Places | undefined {
  const positions = id.split(SEPARATOR).map(positionOf);
  const places = positions.filter((position) => position !== undefined);
  return places.length === positions.length && places.length <= MAX_SHARDS ? places : undefined;
}

/** The place in a shard: a reader that has none in it has none of its events either. */
export function placeIn(places: Places, shard: Shard): Position {
  return (places.length === 1 ? places[0] : places[shard]) ?? 0;
}

/** The id of a position before all events that a reader may lack at the id of a message. */
export function beforeMissing(id: string): string {
  const newest = Math.max(0, ...(placesOf(id) ?? []));
  return eventId(positionAt(millisecondsOf(newest) - OVERTAKING_MS));
}

/** The id of one position to resume from: the message's own, if that is one, else one that repeats some events. */
export function singlePlace(id: string): string {
  return id.includes(SEPARATOR) ? beforeMissing(id) : id;
}
