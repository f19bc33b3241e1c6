import type { Position } from "./event-ids.ts";

/** A message on the `emissions` queue: a claim check. The events themselves stay in their source. */
export type EmissionMessage = {
  sourceId: string;
  positions: Position[];
  /** The last listener that a pass before this one has served. */
  after?: string;
};
