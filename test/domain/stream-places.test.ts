import { expect, test } from "vitest";

import { beforeMissing, messageId, placeIn, placesOf, singlePlace } from "#domain/stream-places.ts";

test("the id of a message contains the place of each shard", () => {
  const places = [1_700_000_000_000_003, 0, 1_700_000_000_001_018];
  expect(messageId(places)).toBe("1700000000000-3_0-0_1700000000001-18");
  expect(placesOf(messageId(places))).toEqual(places);
  expect([0, 1, 2, 3].map((shard) => placeIn(places, shard))).toEqual([...places, 0]);
});

test("the id of an event is its place in every shard", () => {
  const places = placesOf("1700000000000-3");
  expect(places).toEqual([1_700_000_000_000_003]);
  expect([0, 1, 15].map((shard) => placeIn(places ?? [], shard))).toEqual(
    Array.from({ length: 3 }, () => 1_700_000_000_000_003),
  );
});

test.for<[string, string]>([
  ["nothing", ""],
  ["a word", "x"],
  ["an empty part", "1-0_"],
  ["a part that is no event id", "1-0_x"],
  ["another separator", "1-0,2-0"],
  ["more places than shards", Array.from({ length: 17 }, (_, n) => `${n}-0`).join("_")],
])("%s is no id of a message", ([, id]) => {
  expect(placesOf(id)).toBeUndefined();
});

test("one place of several shards is before all that may be missing", () => {
  expect(beforeMissing("1700000000000-3_1700000005000-1")).toBe("1700000003000-0");
  expect(beforeMissing("1700000005000-1")).toBe("1700000003000-0");
  expect(beforeMissing("0-1")).toBe("0-0");
  expect(singlePlace("1700000000000-3_1700000005000-1")).toBe("1700000003000-0");
  expect(singlePlace("1700000005000-1")).toBe("1700000005000-1");
});
