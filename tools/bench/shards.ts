import { randomUUID } from "node:crypto";

import type { RunningPlatform } from "../scripts/platform.ts";
import { compare, type Effort } from "./compare.ts";
import { orderBody, post, type Target } from "./load.ts";
import { median } from "./statistics.ts";
import { sourceTarget, withPlatform } from "./targets.ts";

/** The numbers of shards that are compared. */
const SHARDS = [1, 4];

const CONNECTIONS = 64;

/** Events of a round whose runs wait: 30 times as many as one object runs at a time. */
const WAITING_EVENTS = 1920;

/** The maximum rounds of these: each lasts several seconds. */
const MAX_WAITING_ROUNDS = 3;

/**
 * Measure one source with one shard and with several, in turns. A local runtime runs all objects in one thread, so shards
 * cannot make it compute faster: the first table shows their overhead, and the second one a limit of each object that needs
 * no CPU time, the number of concurrent runs.
 */
export function measureShards(effort: Effort): Promise<void> {
  return withPlatform(async (platform) => {
    await measureOverhead(platform, effort);
    await measureWaiting(platform, Math.min(effort.rounds, MAX_WAITING_ROUNDS));
  });
}

async function measureOverhead(platform: RunningPlatform, effort: Effort): Promise<void> {
  const results = await compare(await targetsOf(platform, "spread"), CONNECTIONS, effort);
  console.log("\n| shards | connections | events/s | p50 ms | p99 ms | of one shard |");
  console.log("|---|---|---|---|---|---|");
  for (const [index, { perSecond, p50Ms, p99Ms, failed, ofFirst }] of results.entries()) {
    const figures = [p50Ms.toFixed(1), p99Ms.toFixed(1), ofFirst.perSecond.toFixed(2)];
    const row = [SHARDS[index], CONNECTIONS, Math.round(perSecond), ...figures];
    console.log(`| ${row.join(" | ")} |`);
    if (failed > 0) throw new Error(`${failed} requests failed`);
  }
}

async function measureWaiting(platform: RunningPlatform, rounds: number): Promise<void> {
  const targets = await targetsOf(platform, "waiting");
  const rates = targets.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, target] of targets.entries())
      rates[index]?.push(await runsPerSecond(target));
  console.log("\n| shards | runs/s that wait 200 ms | of one shard |");
  console.log("|---|---|---|");
  for (const [index, own] of rates.entries()) {
    const ratios = own.map((rate, round) => rate / (rates[0]?.[round] ?? Number.NaN));
    const row = [SHARDS[index], Math.round(median(own)), median(ratios).toFixed(2)];
    console.log(`| ${row.join(" | ")} |`);
  }
}

function targetsOf(platform: RunningPlatform, component: string): Promise<Target[]> {
  return Promise.all(SHARDS.map((shards) => sourceTarget(platform, component, shards)));
}

/** Post many events, and wait until all have run. */
async function runsPerSecond(target: Target): Promise<number> {
  const startedAtMs = performance.now();
  let posted = 0;
  const client = async (): Promise<void> => {
    while (posted < WAITING_EVENTS) {
      posted += 1;
      await post(target.url, orderBody(randomUUID()));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  await target.settled();
  return WAITING_EVENTS / ((performance.now() - startedAtMs) / 1000);
}
