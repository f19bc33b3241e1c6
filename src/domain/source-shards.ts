import type { DedupeStrategy } from "./dedupe.ts";
import { DB_SERVICE, HTTP_INTERFACE, type PropDefinition } from "./definition.ts";
import { LANES, laneOf, type Position } from "./event-ids.ts";

/** Maximum shards of a source: each has a lane of positions of its own. */
export const MAX_SHARDS = LANES;

/** The number of a shard; 0 is the source's own object. */
export type Shard = number;

/** The name of the object of a shard. Ids have no colon. */
export function shardName(id: string, shard: Shard = 0): string {
  return shard === 0 ? id : `${id}:${shard}`;
}

/** The source and the number of the shard with this name. */
export function shardOfName(name: string): { sourceId: string; shard: Shard } {
  const [sourceId = "", shard = "0"] = name.split(":");
  return { sourceId, shard: Number(shard) };
}

/** The only shard beside 0 that may have the event of a position; 0 may have any from before there were several. */
export function shardOfPosition(position: Position): Shard {
  return laneOf(position);
}

/** The reason why a component cannot have several shards; undefined: it can. */
export function unshardable({
  dedupe,
  props,
}: {
  dedupe?: DedupeStrategy | null | undefined;
  props: readonly PropDefinition[];
}): string | undefined {
  if (props.some(({ type }) => type === DB_SERVICE))
    return `must be 1 for a component with ${DB_SERVICE}: its state is in one object`;
  if (dedupe)
    return "must be 1 for a component with dedupe: the ids of its events are in one object";
  if (!props.some(({ type }) => type === HTTP_INTERFACE))
    return `must be 1 for a component without ${HTTP_INTERFACE}: only HTTP events are spread`;
  return undefined;
}
