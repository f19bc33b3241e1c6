import type { Position } from "./event-ids.ts";

/** A message on the `emissions` queue: a claim check. The events themselves stay in their source. */
export type EmissionMessage = { sourceId: string; positions: Position[] };
