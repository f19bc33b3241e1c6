import { eventId, type Position, positionOf } from "./event-ids.ts";

/** The event and the emitter of a webhook's pending delivery. */
export type DeliveryKey = { position: Position; emitterId: string };

/** The public id of a delivery within its webhook. Safe in a URL. */
export function deliveryId({ position, emitterId }: DeliveryKey): string {
  return `dlv_${eventId(position)}_${emitterId}`;
}

/** The parts of a delivery id; undefined if it is invalid. */
export function deliveryKeyOf(id: string): DeliveryKey | undefined {
  const [, event, emitterId] = /^dlv_([\d-]+)_(.+)$/.exec(id) ?? [];
  if (event === undefined || emitterId === undefined) return undefined;
  const position = positionOf(event);
  return position === undefined ? undefined : { position, emitterId };
}
