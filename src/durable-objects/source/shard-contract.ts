import type { DayUsage } from "#domain/billing.ts";
import type { Position } from "#domain/event-ids.ts";
import type { EventPart } from "#domain/events.ts";
import type { JsonOf } from "#domain/json.ts";
import type { Allowance } from "#domain/quotas.ts";
import type { ShardRuns } from "#domain/shard-alerts.ts";
import type { Shard } from "#domain/source-shards.ts";

import type { Current, SourceControl } from "./contract.ts";

/** The deployment for a shard, from the source's own object. Of two, the one with the higher version is valid. */
export type ShardOrder = Current & {
  shard: Shard;
  /** The number of shards that take requests. */
  count: number;
  version: number;
  /** Its events are after this position. */
  floor: Position;
};

/** The visible events of a channel up to a position, newest first, and the position of the newest event of all. */
export type EventWindow = { positions: Position[]; newest: Position };

/** The methods of a shard beside 0, for the source's own object. */
export type ShardControl = Pick<
  SourceControl,
  "deleteEvents" | "keepAlarm" | "recover" | "refreshQuotas" | "remove" | "replay"
> & {
  /** Run this deployment from now on, without its hooks and timers. */
  follow(order: JsonOf<ShardOrder>): Promise<void>;
  /** Emit no event at this position or before any more, and return those up to it. */
  window(channel: string | undefined, upTo: Position): Promise<EventWindow>;
  /** The first of these events, as many as `maxBytes` allow. */
  eventsAt(ids: string[], expand: boolean, maxBytes: number): Promise<EventPart>;
  /** The time of the last successful run, epoch milliseconds; 0: none is known. */
  lastSuccessMs(): Promise<number>;
  fetch(url: string): Promise<Response>;
};

/** The methods of a source's own object for its shards. */
export type OwnControl = {
  /** Add the usage of a shard to that of the source. Returns the rest of the owner's quotas. */
  reportShard(shard: Shard, days: JsonOf<DayUsage[]>): Promise<Allowance>;
  /** Record the results of a shard's runs, by which the source's alerts are decided. */
  reportShardRuns(shard: Shard, runs: JsonOf<ShardRuns>): Promise<void>;
};
