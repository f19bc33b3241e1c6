import { toJson } from "#domain/json.ts";
import type { Shard } from "#domain/source-shards.ts";
import type { EventHistory } from "#durable-objects/emitter/history.ts";
import { log } from "#telemetry/log.ts";

import type { Current } from "./contract.ts";
import type { Deployments } from "./deployments.ts";
import type { ShardControl, ShardOrder } from "./shard-contract.ts";

const KEY = "shards";

/** Number of attempts to reach the shards before a change of the source is answered, and the delay before the second. */
const ATTEMPTS = 3;
const RETRY_DELAY_MS = 100;

type Kept = {
  /** The number of shards that may have stored something, shard 0 included: it never decreases. */
  ever: number;
  /** The number of shards that take requests. */
  count: number;
  version: number;
  /** The deployment that all shards have; absent: not all have the same. */
  deployed?: string;
};

type Deps = {
  kv: SyncKvStorage;
  deployments: Deployments;
  history: EventHistory;
  open: (shard: Shard) => ShardControl;
  /** Called before further shards get requests. */
  beforeGrowth: () => void;
};

/**
 * The shards of a source beside its own object, which is shard 0. Each has a copy of the deployment, and is an emitter with
 * an inbox, an outbox and a history; shard 0 has the hooks, the timers and all that is not an HTTP event.
 */
export class Siblings {
  readonly #deps: Deps;
  #kept: Kept | undefined;
  #pushing: Promise<void> | undefined;
  #isClosed = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#kept = deps.kv.get<Kept>(KEY);
    if (this.#kept) deps.history.useLane(0);
  }

  /** Whether any shard beside 0 may have stored something. */
  exist(): boolean {
    return (this.#kept?.ever ?? 1) > 1;
  }

  /** All shards beside 0 that may have stored something, by number from 1 on. */
  all(): ShardControl[] {
    const ever = this.#kept?.ever ?? 1;
    return Array.from({ length: ever - 1 }, (_, index) => this.#deps.open(index + 1));
  }

  /** The shard with this number; undefined: there is none beside 0. */
  at(shard: Shard): ShardControl | undefined {
    return shard > 0 && shard < (this.#kept?.ever ?? 1) ? this.#deps.open(shard) : undefined;
  }

  /** The number of shards that take requests, shard 0 included. */
  count(): number {
    return this.#kept?.count ?? 1;
  }

  /** Whether a shard may have another deployment than the source. */
  isBehind(): boolean {
    const current = this.#current();
    if (!current || this.#isClosed) return false;
    if (!this.#kept) return countOf(current) > 1;
    return this.#kept.deployed !== nameOf(current);
  }

  /** Deploy to the shards again, although the change of the source is the same. */
  renew(): void {
    if (!this.#kept) return;
    const { deployed: _, ...rest } = this.#kept;
    this.#put({ ...rest, version: rest.version + 1 });
  }

  /** Bring all shards up to date. A failure is logged, and the alarm retries. */
  async deploy(): Promise<void> {
    for (let attempt = 1; this.isBehind(); attempt += 1) {
      try {
        await (this.#pushing ??= this.#push().finally(() => (this.#pushing = undefined)));
      } catch (error) {
        log("shards_behind", { source_id: this.#current()?.deployment.sourceId, error });
        if (attempt >= ATTEMPTS) return;
        await scheduler.wait(RETRY_DELAY_MS * 2 ** attempt);
      }
    }
  }

  /** Remove all shards for good. Rejects if one could not be removed: it is called again then. */
  async remove(requestId?: string): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([this.#pushing]);
    await Promise.all(this.all().map((sibling) => sibling.remove(requestId)));
  }

  async #push(): Promise<void> {
    const current = this.#current();
    if (!current) return;
    const count = countOf(current);
    const begun = this.#begin(count);
    const { version } = begun;
    const floor = this.#deps.history.newest();
    // A shard has no shards of its own.
    const { shards: _, ...deployment } = current.deployment;
    const orders = this.all().map((sibling, index): Promise<void> => {
      const shard = index + 1;
      const active = current.active && shard < count;
      const order = { deployment, active, shard, count, floor, version };
      return sibling.follow(toJson<ShardOrder>(order));
    });
    // All have ended then, so that none arrives after the source was removed.
    const results = await Promise.allSettled(orders);
    const failed = results.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
    if (this.#isClosed || this.#kept?.version !== version) return;
    // A stream that was opened meanwhile may lack some of them.
    if (count > begun.count) this.#deps.beforeGrowth();
    this.#put({ ...begun, count, deployed: nameOf(current) });
  }

  /** Stored before a shard stores anything, so that each is found and removed. */
  #begin(count: number): Kept {
    const { ever, version, count: before } = this.#kept ?? { ever: 1, version: 0, count: 1 };
    this.#deps.history.useLane(0);
    if (count > ever) this.#deps.beforeGrowth();
    const begun = {
      ever: Math.max(ever, count),
      // Higher than any known to a shard, even if this object was restored from a backup.
      version: Math.max(version + 1, Date.now()),
      count: Math.min(before, count),
    };
    this.#put(begun);
    return begun;
  }

  /** The deployment for the shards; undefined during a change. */
  #current(): Current | undefined {
    const { deployments } = this.#deps;
    return deployments.status().phase === "changing" ? undefined : deployments.settled();
  }

  #put(kept: Kept): void {
    this.#kept = kept;
    this.#deps.kv.put<Kept>(KEY, kept);
  }
}

function countOf({ deployment }: Current): number {
  return deployment.shards ?? 1;
}

/** Each change of a source has a name of its own. */
function nameOf({ deployment, active }: Current): string {
  return `${deployment.change ?? ""} ${active}`;
}
