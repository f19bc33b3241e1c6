import type { Way } from "./costs/counting.ts";
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

const KINDS: [Kind, (way: Way) => boolean][] = [
  ["http", ({ path }) => path.startsWith("HTTP")],
  ["timer", ({ path }) => path.startsWith("timer")],
  ["workflow", ({ path }) => path === "workflow of 1 step"],
];

/**
 * Simulate a million sources at growing rates, from the counted usage of an event, and print the first limit of
 * Cloudflare that is reached.
 */
export async function measureScale(ways: readonly Way[]): Promise<void> {
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

function countedEvents(ways: readonly Way[]): CountedEvent[] {
  return KINDS.flatMap(([kind, isOfKind]) =>
    ways
      .filter((way) => isOfKind(way))
      .map(({ perSecond, perEvent, perFlush, cpuMs = 0 }): CountedEvent => {
        return { kind, perSecond, counts: perEvent, perFlush, cpuMs };
      })
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
Measured: the work of one event, in this code and a local runtime (${counted.length} counts).
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
