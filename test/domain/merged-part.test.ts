import { expect, test } from "vitest";

import { type EventSummary, mergedPart } from "#domain/events.ts";

function event(id: string, payload = "1"): EventSummary {
  return {
    id,
    indexedAtMs: 0,
    payload,
    truncated: false,
    channel: "",
    emitId: `emit ${id}`,
    meta: {},
  };
}

const IDS = ["5-0", "4-1", "3-0", "2-1", "1-0"];

test("the events of all objects are in the order of the ids, and missing ones are left out", () => {
  const parts = [
    { events: [event("5-0"), event("3-0")], rest: [] },
    { events: [event("4-1"), event("2-1")], rest: [] },
  ];
  const { events, rest } = mergedPart(IDS, parts);
  expect(events.map(({ id }) => id)).toEqual(["5-0", "4-1", "3-0", "2-1"]);
  expect(rest).toEqual([]);
});

test("a part ends before the first event that an object left for the next call", () => {
  const parts = [
    { events: [event("5-0")], rest: ["3-0", "2-1", "1-0"] },
    { events: [event("4-1"), event("2-1")], rest: [] },
  ];
  const { events, rest } = mergedPart(IDS, parts);
  expect(events.map(({ id }) => id)).toEqual(["5-0", "4-1"]);
  expect(rest).toEqual(["3-0", "2-1", "1-0"]);
});

test("a part has as many events as fit into one call, and at least one", () => {
  const large = "x".repeat(3 * 1024 * 1024);
  const parts = [{ events: IDS.map((id) => event(id, large)), rest: [] }];
  const first = mergedPart(IDS, parts);
  expect(first.events).toHaveLength(1);
  expect(mergedPart(first.rest, parts).events.map(({ id }) => id)).toEqual(["4-1"]);
});
