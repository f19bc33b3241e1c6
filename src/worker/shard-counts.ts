import type { Shard } from "#domain/source-shards.ts";

/** Maximum sources whose number of shards an isolate knows. */
const MAX_KNOWN = 10_000;

/** The number of shards of each source with several that this isolate has sent a request to. */
const counts = new Map<string, number>();

/** A random shard of those that take requests, as far as this isolate knows: at first the source's own object, 0. */
export function shardFor(sourceId: string): Shard {
  const count = counts.get(sourceId);
  return count === undefined ? 0 : Math.floor(Math.random() * count);
}

/** Record the number of shards in the response of one of them: it is in each, so that no request queries it. */
export function recordShards(sourceId: string, { shards }: { shards?: number }): void {
  if (shards === undefined || shards < 2) counts.delete(sourceId);
  else {
    // The oldest goes: its next request finds it again.
    if (!counts.has(sourceId) && counts.size >= MAX_KNOWN)
      counts.delete(counts.keys().next().value ?? "");
    counts.set(sourceId, shards);
  }
}
