import type { Position } from "./event-ids.ts";

/** At this many hops an event is parked: sources that are subscribed to each other must not run for ever. */
export const MOST_HOPS = 16;

/** An event in the outbox of a source, as the router reads it. `payload` is JSON text. */
type OutboxEvent = {
  position: Position;
  channel: string;
  emitId: string;
  payload: string;
  /** How many emitters the event has come through, this one included. */
  hops: number;
};

/** What a source hands over when the router asks for events. */
export type Claim = {
  events: OutboxEvent[];
  /** Positions left out because the others fill a message already: to be asked for again. */
  deferred: Position[];
};

/** An event on its way to one listener. With its emitter, the position names it for good. */
export type Delivery = OutboxEvent & { emitterId: string; eventId: string };
