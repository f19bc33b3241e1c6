import { shardOf } from "#domain/shards.ts";

import { billOf, type Used, unitsOf } from "../costs/bill.ts";
import type { Counts, Measure } from "../costs/tally.ts";
import { LIMITS, type Resource } from "./limits.ts";
import { type Kind, MAX_TICKS_PER_SECOND, type Simulated } from "./population.ts";
import { poisson, randomNumbers } from "./random.ts";

/** The counted usage of one event of a kind, at rates from `perSecond` on. */
export type CountedEvent = { kind: Kind; perSecond: number; counts: Counts; cpuMs: number };

export type Deployment = { queues: number; workflows: number };

/** The load of the busiest instance of a resource: on average, and in the busiest of the simulated seconds. */
export type Load = {
  resource: Resource;
  instances: number;
  mean: number;
  peak: number;
  /** The longest wait for that instance, in seconds. */
  waitSeconds: number;
};

const SECONDS = 600;
const MONTH_SECONDS = 30 * 24 * 3600;

/** Simulate events of a population at a rate. Returns the highest loads first. */
export function simulate(
  population: readonly Simulated[],
  counted: readonly CountedEvent[],
  { perSecond, deployment }: { perSecond: number; deployment: Deployment },
): { loads: Load[]; usdPerMonth: number } {
  const work = new Map<Resource, Map<number, number>>();
  const used = new Map<CountedEvent, number>();
  for (const one of population) {
    const rate = rateOf(one, perSecond);
    const event = countedAt(counted, one.kind, rate);
    used.set(event, (used.get(event) ?? 0) + rate);
    for (const [resource, instance, amount] of demandsOf(one, event.counts, deployment))
      add(work, resource, [instance, amount * rate]);
  }
  const loads = [...work].map(([resource, instances]) => loadOf(resource, instances));
  return { loads: loads.toSorted((a, b) => shareOf(b) - shareOf(a)), usdPerMonth: bill(used) };
}

/** The share of its limit that the busiest instance uses in its busiest second. */
export function shareOf({ resource, peak }: Load): number {
  return peak / LIMITS[resource].perSecond;
}

/** The number of instances at which each is at most three quarters loaded. Only for resources that can be sharded. */
export function neededShards({ mean, instances, resource }: Load): number {
  return Math.ceil((mean * instances) / (0.75 * LIMITS[resource].perSecond));
}

function rateOf({ kind, share }: Simulated, perSecond: number): number {
  const rate = share * perSecond;
  return kind === "timer" ? Math.min(rate, MAX_TICKS_PER_SECOND) : rate;
}

/** The counts at the nearest rate below, or at the lowest. */
function countedAt(counted: readonly CountedEvent[], kind: Kind, rate: number): CountedEvent {
  const own = counted.filter((each) => each.kind === kind);
  const [lowest] = own;
  const below = own.findLast(({ perSecond }) => perSecond <= rate);
  const found = below ?? lowest;
  if (!found) throw new Error(`There are no counts for events of the kind ${kind}`);
  return found;
}

/** The load of an event on each instance of a resource. */
function demandsOf(
  { id, owner }: Simulated,
  counts: Counts,
  { queues, workflows }: Deployment,
): [Resource, number, number][] {
  const of = (...names: Measure[]) => names.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
  const place = Number.parseInt(id.slice(id.indexOf("_") + 1), 36);
  return [
    ["queue", shardOf(id, queues), of("queue.written")],
    ["engine", shardOf(id, workflows), of("workflows.instances")],
    ["database", 0, of("d1.roundTrips")],
    ["source", place, of("source.requests", "source.alarms")],
    ["webhook", place, of("webhook.requests", "webhook.alarms")],
    ["workflow", place, of("workflow.requests", "workflow.alarms")],
    ["owner", owner, of("owner.requests", "owner.alarms")],
  ];
}

function add(
  work: Map<Resource, Map<number, number>>,
  resource: Resource,
  [instance, amount]: [number, number],
): void {
  if (amount === 0) return;
  const instances = work.get(resource) ?? new Map<number, number>();
  work.set(resource, instances);
  instances.set(instance, (instances.get(instance) ?? 0) + amount);
}

/** Simulate random arrivals at the busiest instance, second by second, and measure the wait. */
function loadOf(resource: Resource, instances: ReadonlyMap<number, number>): Load {
  let mean = 0;
  for (const load of instances.values()) mean = Math.max(mean, load);
  const random = randomNumbers(2);
  const { perSecond } = LIMITS[resource];
  let [backlog, peak, longest] = [0, 0, 0];
  for (let second = 0; second < SECONDS; second += 1) {
    const arrivals = poisson(mean, random);
    peak = Math.max(peak, arrivals);
    backlog = Math.max(0, backlog + arrivals - perSecond);
    longest = Math.max(longest, backlog);
  }
  return { resource, instances: instances.size, mean, peak, waitSeconds: longest / perSecond };
}

function bill(used: ReadonlyMap<CountedEvent, number>): number {
  let usd = 0;
  for (const [{ counts, cpuMs }, perSecond] of used) {
    const units: Used = unitsOf(counts, cpuMs);
    usd += (billOf(units).usd / 1_000_000) * perSecond * MONTH_SECONDS;
  }
  return usd;
}
