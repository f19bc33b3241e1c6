import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { ROOT } from "../scripts/local/settings.ts";
import { countWays } from "./costs.ts";
import type { Way } from "./costs/ways.ts";
import { LIMITS } from "./scale/limits.ts";
import {
  type CountedEvent,
  type Deployment,
  type Load,
  neededShards,
  shareOf,
  simulate,
} from "./scale/model.ts";
import { ASSUMPTIONS, type Kind, populate } from "./scale/population.ts";

const RATES = [1000, 10_000, 100_000];

/** The file that keeps counts between runs: taking them lasts minutes. */
const COUNTS = join(ROOT, ".wrangler/bench/counts.json");

const KINDS: [Kind, (way: Way) => boolean][] = [
  ["http", ({ path }) => path.startsWith("HTTP")],
  ["timer", ({ path }) => path.startsWith("timer")],
  ["workflow", ({ path }) => path === "workflow of 1 step"],
];

/**
 * Simulate a million sources at growing rates, from the counted usage of an event, and print the first limit of
 * Cloudflare that is reached. `known`: counts, or the file of an earlier run's counts, in place of new ones.
 */
export async function measureScale(known: readonly Way[] | string | undefined): Promise<void> {
  const ways =
    typeof known === "string" ? await readCounts(known) : (known ?? (await freshCounts()));
  const counted = countedEvents(ways);
  printAssumptions(counted);
  const population = populate(ASSUMPTIONS);
  for (const perSecond of RATES) {
    const alone = { queues: 1, workflows: 1 };
    const { loads } = simulate(population, counted, { perSecond, deployment: alone });
    const deployment = shardsFor(loads);
    const sharded = simulate(population, counted, { perSecond, deployment });
    printRate({ perSecond, deployment }, loads, sharded);
  }
}

async function freshCounts(): Promise<Way[]> {
  const ways = await countWays();
  await mkdir(dirname(COUNTS), { recursive: true });
  await writeFile(COUNTS, JSON.stringify(ways, null, 2));
  console.log(`The counts are in ${COUNTS}: --counts reuses them.\n`);
  return ways;
}

async function readCounts(file: string): Promise<Way[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an earlier run wrote it.
  return JSON.parse(await readFile(file, "utf8")) as Way[];
}

function countedEvents(ways: readonly Way[]): CountedEvent[] {
  return KINDS.flatMap(([kind, isOfKind]) =>
    ways
      .filter((way) => isOfKind(way))
      .map(({ perSecond, perEvent: counts, cpuMs = 0 }) => ({ kind, perSecond, counts, cpuMs }))
      .toSorted((a, b) => a.perSecond - b.perSecond),
  );
}

function shardsFor(loads: readonly Load[]): Deployment {
  const needed = (resource: Load["resource"]) => {
    const load = loads.find((each) => each.resource === resource);
    return load ? Math.max(1, neededShards(load)) : 1;
  };
  return { queues: needed("queue"), workflows: needed("engine") };
}

function printAssumptions(counted: readonly CountedEvent[]): void {
  const { sources, owners, mix, skewOfRates, skewOfOwners } = ASSUMPTIONS;
  const shares = Object.entries(mix).map(([kind, share]) => `${kind} ${100 * share} %`);
  console.log(`
Measured: what an event asks for, in this code and a local runtime (${counted.length} counts).
Model: everything else. ${sources.toLocaleString("en")} sources and workflows of ${owners.toLocaleString("en")} owners; of events
${shares.join(", ")}; rates by Zipf's law with the exponent ${skewOfRates}, sources of an owner with ${skewOfOwners};
arrivals are random and independent; limits and prices are those that Cloudflare documents (tools/bench/scale/limits.ts).`);
}

function printRate(
  { perSecond, deployment }: { perSecond: number; deployment: Deployment },
  alone: readonly Load[],
  { loads, usdPerMonth }: { loads: readonly Load[]; usdPerMonth: number },
): void {
  const { queues, workflows } = deployment;
  const usd = Math.round(usdPerMonth).toLocaleString("en");
  console.log(`
## ${perSecond.toLocaleString("en")} events/s: $${usd} a month

With one queue and one engine: ${firstLimit(alone[0])}
With --queues ${queues} --workflows ${workflows}: ${firstLimit(loads[0])}

| limit | instances | mean a second | busiest second | limit a second | left | longest wait |
| --- | --- | --- | --- | --- | --- | --- |`);
  for (const load of loads) {
    const { resource, instances, mean, peak, waitSeconds } = load;
    const { name, perSecond: limit, unit } = LIMITS[resource];
    const left = `${Math.round(100 * (1 - shareOf(load)))} %`;
    const wait = waitSeconds === 0 ? "none" : `${waitSeconds.toFixed(1)} s`;
    const cells = [name, instances, mean.toFixed(1), peak, `${limit} ${unit}`, left, wait];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

function firstLimit(load: Load | undefined): string {
  if (!load) return "there is no load.";
  const { name, unit, perSecond } = LIMITS[load.resource];
  const percent = Math.round(100 * shareOf(load));
  const verb = percent > 100 ? "is exceeded first" : "would be reached first";
  return `${name} ${verb}, at ${percent} % of its ${perSecond} ${unit} a second.`;
}
