import { shardOf } from "#domain/shards.ts";

import { billOf, unitsOf } from "../costs/bill.ts";
import { flushesPerSecond } from "../costs/flush.ts";
import type { Counts, Measure } from "../costs/tally.ts";
import { LIMITS, type Resource } from "./limits.ts";
import { type Kind, MAX_TICKS_PER_SECOND, type Simulated } from "./population.ts";
import { poisson, randomNumbers } from "./random.ts";

/**
 * The counted usage of one event of a kind, at rates from `perSecond` on, and of the write of its emitter's usage to D1, for an
 * owner without others.
 */
export type CountedEvent = {
  kind: Kind;
  perSecond: number;
  counts: Counts;
  perFlush: Counts;
  cpuMs: number;
};

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

/** Events and writes of usage a second. */
type Rates = { events: number; flushes: number };

/** Number of emitters whose usage is written to D1 in one round trip. */
const EMITTERS_PER_TRIP = 100;

const SECONDS = 600;
const MONTH_SECONDS = 30 * 24 * 3600;

/** Simulate events of a population at a rate. Returns the highest loads first. */
export function simulate(
  population: readonly Simulated[],
  counted: readonly CountedEvent[],
  { perSecond, deployment }: { perSecond: number; deployment: Deployment },
): { loads: Load[]; usdPerMonth: number } {
  const work = new Map<Resource, Map<number, number>>();
  const used = new Map<CountedEvent, Rates>();
  const owners = ownersOf(population, perSecond);
  for (const one of population) {
    const events = rateOf(one, perSecond);
    const event = countedAt(counted, one.kind, events);
    for (const [resource, instance, amount] of demandsOf(one, event.counts, deployment))
      add(work, resource, [instance, amount * events]);
    const owner = owners.get(one.owner);
    const flushes = owner ? flushesOf(events, owner.events) : 0;
    if (owner) owner.flushes += flushes;
    const sum = used.get(event) ?? { events: 0, flushes: 0 };
    used.set(event, { events: sum.events + events, flushes: sum.flushes + flushes });
  }
  for (const [owner, { events, flushes }] of owners) {
    const alarms = flushesPerSecond(events);
    add(work, "owner", [owner, alarms]);
    add(work, "database", [0, Math.max(alarms, flushes / EMITTERS_PER_TRIP)]);
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

/** The rate of all events of each owner. */
function ownersOf(population: readonly Simulated[], perSecond: number): Map<number, Rates> {
  const owners = new Map<number, Rates>();
  for (const one of population) {
    const events = (owners.get(one.owner)?.events ?? 0) + rateOf(one, perSecond);
    owners.set(one.owner, { events, flushes: 0 });
  }
  return owners;
}

/** The writes of an emitter's usage a second: those of its owner before which it had an event. */
function flushesOf(events: number, ofOwner: number): number {
  const flushes = flushesPerSecond(ofOwner);
  return flushes === 0 ? 0 : flushes * (1 - Math.exp(-events / flushes));
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

/** Every emitter's write of usage is billed like one of an owner without others, which costs a little more. */
function bill(used: ReadonlyMap<CountedEvent, Rates>): number {
  let usd = 0;
  for (const [{ counts, perFlush, cpuMs }, { events, flushes }] of used) {
    const [ofEvent, ofFlush] = [billOf(unitsOf(counts, cpuMs)), billOf(unitsOf(perFlush))];
    usd += ((ofEvent.usd * events + ofFlush.usd * flushes) / 1_000_000) * MONTH_SECONDS;
  }
  return usd;
}
