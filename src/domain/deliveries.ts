import type { Position } from "./event-ids.ts";
import type { EventMeta } from "./events.ts";
import type { JsonOf } from "./json.ts";

/** At this many hops an event is parked: sources that are subscribed to each other must not run for ever. */
export const MAX_HOPS = 16;

/** The header by which a webhook's delivery carries its hops: a receiver may be an endpoint of ours. */
export const HOPS_HEADER = "x-wellspring-hops";

/** The hops in a request's header; 0 without one. A sender from outside that changes it affects only its own event. */
export function hopsOf(header: string | null): number {
  return header !== null && /^\d{1,3}$/.test(header) ? Number(header) : 0;
}

/** An event in the outbox of a source, as the router reads it. `payload` is JSON text. */
type OutboxEvent = {
  position: Position;
  channel: string;
  emitId: string;
  payload: string;
  /** The number of emitters that the event has passed, this one included. */
  hops: number;
  /** The number of runs that it may cause; absent: the maximum of a trigger. */
  budget?: number | undefined;
  /** Id of the request or tick that started the chain; absent for events from before such ids were stored. */
  requestId?: string | undefined;
};

/**
 * An event with the metadata that filters read beside its payload; absent from an object that still runs an older
 * release.
 */
export type ClaimedEvent = OutboxEvent & { meta?: JsonOf<EventMeta> };

/** Events that a source returns to the router. */
export type Claim = {
  events: ClaimedEvent[];
  /** Positions that did not fit the message: claim them again. */
  deferred: Position[];
};

/**
 * An event on its way to one listener. Emitter and position identify it for good. `replayOf`: of a replayed event, the emit
 * id of the first one.
 */
export type Delivery = OutboxEvent & {
  emitterId: string;
  eventId: string;
  replayOf?: string | undefined;
};
