import { compare } from "./compare.ts";
import { sourceTarget, withPlatform } from "./targets.ts";

/** The numbers of shards that are compared. */
const SHARDS = [1, 4];

const CONNECTIONS = 64;

/**
 * Measure one source with one shard and with several, in turns. A local runtime runs all objects in one thread, so this shows
 * their overhead; on Cloudflare each has its own.
 */
export function measureShards(effort: { rounds: number; seconds: number }): Promise<void> {
  return withPlatform(async (platform) => {
    const targets = await Promise.all(
      SHARDS.map((shards) => sourceTarget(platform, "spread", shards)),
    );
    const results = await compare(targets, CONNECTIONS, effort);
    console.log("\n| shards | connections | events/s | p50 ms | p99 ms | of one shard |");
    console.log("|---|---|---|---|---|---|");
    for (const [index, { perSecond, p50Ms, p99Ms, failed, ofFirst }] of results.entries()) {
      const figures = [p50Ms.toFixed(1), p99Ms.toFixed(1), ofFirst.perSecond.toFixed(2)];
      const row = [SHARDS[index], CONNECTIONS, Math.round(perSecond), ...figures];
      console.log(`| ${row.join(" | ")} |`);
      if (failed > 0) throw new Error(`${failed} requests failed`);
    }
  });
}
