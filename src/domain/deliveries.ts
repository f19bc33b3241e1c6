import type { Position } from "./event-ids.ts";

/** At this many hops an event is parked: sources that are subscribed to each other must not run for ever. */
export const MAX_HOPS = 16;

/** The header by which a webhook's delivery carries its hops: a receiver may be an endpoint of ours. */
export const HOPS_HEADER = "x-wellspring-hops";

/** How many emitters a request has come through, as its header says. Whoever sends another number cuts short only its own event. */
export function hopsOf(header: string | null): number {
  return header !== null && /^\d{1,3}$/.test(header) ? Number(header) : 0;
}

/** An event in the outbox of a source, as the router reads it. `payload` is JSON text. */
type OutboxEvent = {
  position: Position;
  channel: string;
  emitId: string;
  payload: string;
  /** How many emitters the event has come through, this one included. */
  hops: number;
  /** How many runs it may lead to; absent: as many as a trigger may. */
  budget?: number | undefined;
  /** Of the request that all began with, or the tick; absent for what was emitted before such ids were kept. */
  requestId?: string | undefined;
};

/** What a source hands over when the router asks for events. */
export type Claim = {
  events: OutboxEvent[];
  /** Positions left out because the others fill a message already: to be asked for again. */
  deferred: Position[];
};

/** An event on its way to one listener. With its emitter, the position names it for good. */
export type Delivery = OutboxEvent & { emitterId: string; eventId: string };
