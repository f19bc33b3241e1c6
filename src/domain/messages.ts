import type { Position } from "./event-ids.ts";
import type { OwnerId } from "./ids.ts";

/** A message on the `emissions` queue: a claim check. The events themselves stay in their source. */
export type EmissionMessage = {
  sourceId: string;
  /** The shard of the source that has the events; absent: its own object. */
  shard?: number;
  /** The source's owner, to look up subscriptions before the source is called. */
  ownerId: OwnerId;
  positions: Position[];
  /** The last listener that the previous pass has served. */
  after?: string;
};
