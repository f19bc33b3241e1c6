import { expect, test } from "vitest";

import { LIMITS } from "../../tools/bench/scale/limits.ts";
import {
  type CountedEvent,
  neededShards,
  shareOf,
  simulate,
} from "../../tools/bench/scale/model.ts";
import { ASSUMPTIONS, populate } from "../../tools/bench/scale/population.ts";
import { poisson, randomNumbers } from "../../tools/bench/scale/random.ts";

const POPULATION = populate({ ...ASSUMPTIONS, sources: 20_000, owners: 500 });

const COUNTED: CountedEvent[] = [
  {
    kind: "http",
    perSecond: 1 / 15,
    counts: { "queue.written": 1, "source.requests": 3, "owner.requests": 2 },
    perFlush: { "d1.roundTrips": 1, "d1.rowsWritten": 2, "owner.alarms": 1 },
    cpuMs: 1,
  },
  {
    kind: "http",
    perSecond: 200,
    counts: { "queue.written": 0.01, "source.requests": 1 },
    perFlush: { "d1.roundTrips": 1, "d1.rowsWritten": 2, "owner.alarms": 1 },
    cpuMs: 1,
  },
  {
    kind: "timer",
    perSecond: 1 / 15,
    counts: { "queue.written": 1, "source.alarms": 1 },
    perFlush: { "d1.roundTrips": 1, "d1.rowsWritten": 2, "owner.alarms": 1 },
    cpuMs: 1,
  },
  {
    kind: "workflow",
    perSecond: 1,
    counts: { "workflows.instances": 1, "workflow.requests": 3 },
    perFlush: { "d1.roundTrips": 1, "d1.rowsWritten": 2, "owner.alarms": 1 },
    cpuMs: 1,
  },
];

function at(perSecond: number, deployment = { queues: 1, workflows: 1 }) {
  const { loads, usdPerMonth } = simulate(POPULATION, COUNTED, { perSecond, deployment });
  const of = (resource: string) => loads.find((load) => load.resource === resource);
  return { loads, usdPerMonth, of };
}

test("the engine of workflow runs exceeds its limit first, and shards relieve it", () => {
  const { loads, of } = at(10_000);
  expect(loads[0]?.resource).toBe("engine");
  const engine = of("engine");
  expect(engine && shareOf(engine)).toBeGreaterThan(5);
  expect(engine?.waitSeconds).toBeGreaterThan(100);
  const workflows = engine ? neededShards(engine) : 0;
  const sharded = at(10_000, { queues: 1, workflows }).of("engine");
  expect(sharded?.instances).toBe(workflows);
  expect(sharded && sharded.mean / LIMITS.engine.perSecond).toBeLessThan(2);
});

test("ten times the events are ten times the load, as long as no source batches", () => {
  const [slow, fast] = [at(10), at(100)];
  expect((fast.of("engine")?.mean ?? 0) / (slow.of("engine")?.mean ?? 1)).toBeCloseTo(10, 5);
});

test("each owner writes usage to D1 at most once in five minutes, however many events it has", () => {
  const owners = new Set(POPULATION.map(({ owner }) => owner)).size;
  const [rare, often] = [at(1), at(100_000)].map(({ of }) => of("database")?.mean ?? 0);
  expect(rare).toBeLessThan(1);
  // An owner with more than a hundred active emitters needs further round trips.
  const mostTrips = POPULATION.length / 100;
  expect(often).toBeGreaterThan((0.9 * owners) / 300);
  expect(often).toBeLessThan((owners + mostTrips) / 300);
});

test("writes of usage are part of the price", () => {
  const free = COUNTED.map((event) => ({ ...event, perFlush: {} }));
  const load = { perSecond: 10, deployment: { queues: 1, workflows: 1 } };
  const writes = at(10).usdPerMonth - simulate(POPULATION, free, load).usdPerMonth;
  expect(writes).toBeGreaterThan(0);
  // At most one for each event.
  expect(writes).toBeLessThan(((2 + 0.15) / 1_000_000) * 10 * 30 * 24 * 3600);
});

test("no timer exceeds its maximum rate", () => {
  const timers = POPULATION.filter(({ kind }) => kind === "timer");
  const only = simulate(timers, COUNTED, {
    perSecond: 1e9,
    deployment: { queues: 1, workflows: 1 },
  });
  const [queue] = only.loads;
  expect(queue?.mean).toBeCloseTo(timers.length / 15, 0);
});

test("a population has the assumed rates and kinds, the same each time", () => {
  const shares = POPULATION.map(({ share }) => share);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 6);
  expect(shares).toEqual(shares.toSorted((a, b) => b - a));
  const http = POPULATION.filter(({ kind }) => kind === "http").length;
  expect(http / POPULATION.length).toBeCloseTo(ASSUMPTIONS.mix.http, 1);
  expect(populate({ ...ASSUMPTIONS, sources: 20_000, owners: 500 })).toEqual(POPULATION);
});

test.for([0.5, 20, 2000])("random arrivals are %d a second on average", (mean) => {
  const random = randomNumbers(3);
  const arrivals = Array.from({ length: 20_000 }, () => poisson(mean, random));
  const average = arrivals.reduce((sum, each) => sum + each, 0) / arrivals.length;
  expect(average / mean).toBeCloseTo(1, 1);
  const variance = arrivals.reduce((sum, each) => sum + (each - mean) ** 2, 0) / arrivals.length;
  expect(variance / mean).toBeCloseTo(1, 0);
});
