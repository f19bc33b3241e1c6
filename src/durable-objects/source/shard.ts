import type { Position } from "#domain/event-ids.ts";
import { type Shard, shardOfName } from "#domain/source-shards.ts";
import type { EventHistory } from "#durable-objects/emitter/history.ts";

import type { Deployments } from "./deployments.ts";
import type { EventWindow, ShardOrder } from "./shard-contract.ts";

const KEY = "shard";

/** The stored part of an order: the rest is the deployment. */
type Kept = Pick<ShardOrder, "shard" | "count" | "version" | "floor">;

/** The place of an object among the shards of its source. */
export function placeOf(kv: SyncKvStorage, name: string): ReturnType<typeof shardOfName> {
  return { ...shardOfName(name), shard: kv.get<Kept>(KEY)?.shard ?? shardOfName(name).shard };
}

type Deps = { kv: SyncKvStorage; history: EventHistory; deployments: Deployments };

/** What a shard beside 0 has from the source's own object. */
export class ShardRole {
  readonly #deps: Deps;
  #kept: Kept | undefined;

  constructor(deps: Deps, shard: Shard) {
    this.#deps = deps;
    this.#kept = deps.kv.get<Kept>(KEY);
    deps.history.useLane(shard, this.#kept?.floor);
  }

  /** The number of shards that take requests, as of the last order. */
  count(): number {
    return this.#kept?.count ?? 1;
  }

  /** Follow an order, unless a later one is known. */
  follow({ deployment, active, ...kept }: ShardOrder): void {
    if (this.#kept && this.#kept.version >= kept.version) return;
    const { kv, history, deployments } = this.#deps;
    // The floor only matters before the first event: later ones are after it anyway.
    this.#kept = { ...kept, floor: this.#kept?.floor ?? kept.floor };
    history.advance(this.#kept.floor);
    kv.put<Kept>(KEY, this.#kept);
    deployments.adopt({ deployment, active });
  }

  /** The events of a channel up to a position, at which and before it none are emitted any more. */
  window(channel: string | undefined, upTo: Position): EventWindow {
    const { history } = this.#deps;
    history.advance(upTo);
    return { positions: history.reader.window(channel, upTo), newest: history.newest() };
  }
}
