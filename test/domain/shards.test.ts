import { expect, test } from "vitest";

import { activeShards, shardOf, shardsIn } from "#domain/shards.ts";

const IDS = Array.from({ length: 10_000 }, (_, index) => `dc_${index.toString(36)}`);

test.for([2, 4, 7])("distributes ids evenly over %i shards", (count) => {
  const sizes = Array.from({ length: count }, () => 0);
  for (const id of IDS) sizes[shardOf(id, count)] = (sizes[shardOf(id, count)] ?? 0) + 1;
  for (const size of sizes) {
    expect(size).toBeGreaterThan((0.9 * IDS.length) / count);
    expect(size).toBeLessThan((1.1 * IDS.length) / count);
  }
});

test("a new shard takes ids from all others, and no other id moves", () => {
  const moved = IDS.filter((id) => shardOf(id, 4) !== shardOf(id, 5));
  expect(new Set(moved.map((id) => shardOf(id, 5)))).toEqual(new Set([4]));
  expect(moved.length / IDS.length).toBeCloseTo(1 / 5, 1);
  expect(new Set(moved.map((id) => shardOf(id, 4)))).toEqual(new Set([0, 1, 2, 3]));
});

test("one shard has every id", () => {
  expect(new Set(IDS.map((id) => shardOf(id, 1)))).toEqual(new Set([0]));
});

test("the shards are the bound ones without a gap", () => {
  const [a, b, c, d] = [{}, {}, {}, {}];
  const env = { QUEUE: a, QUEUE_1: b, QUEUE_2: c, QUEUE_4: d, OTHER_3: d };
  expect(shardsIn(env, "QUEUE", a)).toEqual([a, b, c]);
  expect(shardsIn(env, "OTHER", a)).toEqual([a]);
});

test.for([
  ["1", 1],
  ["3", 3],
  ["9", 4],
  ["0", 1],
  ["-2", 1],
  ["1.5", 1],
  ["many", 1],
  ["", 1],
  [undefined, 1],
] as const)("of four shards, the setting %s uses %i", ([setting, count]) => {
  expect(activeShards(setting, 4)).toBe(count);
});
