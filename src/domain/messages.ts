import type { Position } from "./event-ids.ts";
import type { OwnerId } from "./ids.ts";

/** A message on the `emissions` queue: a claim check. The events themselves stay in their source. */
export type EmissionMessage = {
  sourceId: string;
  /** The source's owner, by which subscriptions are looked up before the source is called. */
  ownerId: OwnerId;
  positions: Position[];
  /** The last listener that a pass before this one has served. */
  after?: string;
};
