import { expect, test } from "vitest";

import { newCaller } from "../support/api.ts";
import { deployEcho } from "../support/echo.ts";

/** A source that emits under a dedupe strategy. */
async function deduping(strategy: string) {
  const code = `export default { name: "D", version: "1", dedupe: "${strategy}",
    props: { http: "$.interface.http" },
    run({ body }) { for (const { event, meta } of body.emits) this.$emit(event, meta); } };`;
  const source = await deployEcho(await newCaller(), code);
  const emitIds = (...ids: unknown[]) =>
    source.emit(...ids.map((id) => ({ event: id, meta: { id } })));
  const kept = async () => (await source.events()).map(({ event }) => event).toReversed();
  return { ...source, emitIds, kept };
}

async function withSix() {
  const caller = await newCaller();
  const source = await deployEcho(caller);
  await source.emit(...[1, 2, 3, 4, 5, 6].map((event) => ({ event })));
  const ids = (await source.events()).map(({ id }) => id).toReversed();
  return {
    ...source,
    ids,
    remove: async (range: object) => {
      const { status } = await caller.api.deleteSourceEvents({ id: source.id, ...range });
      expect(status).toBe(202);
      return (await source.events()).map(({ event }) => event).toReversed();
    },
  };
}

test("DELETE events: with neither parameter, all events of the source are deleted", async () => {
  expect(await (await withSix()).remove({})).toEqual([]);
});

test("DELETE events: with start_id only, the event with that id and all later ones are deleted", async () => {
  const { ids, remove } = await withSix();
  expect(await remove({ startId: ids[3] })).toEqual([1, 2, 3]);
});

test("DELETE events: with end_id only, that event and all earlier ones are deleted", async () => {
  const { ids, remove } = await withSix();
  expect(await remove({ endId: ids[3] })).toEqual([5, 6]);
});

test("DELETE events: with both, the inclusive range is deleted; equal values delete a single event", async () => {
  const { ids, remove } = await withSix();
  expect(await remove({ startId: ids[1], endId: ids[3] })).toEqual([1, 5, 6]);
  expect(await remove({ startId: ids[4], endId: ids[4] })).toEqual([1, 6]);
});

test("event_summaries | last N events, up to the last 100 are available", async () => {
  const source = await deployEcho(await newCaller());
  await source.emit(...Array.from({ length: 103 }, (_, event) => ({ event })));
  const events = (await source.events()).map(({ event }) => event);
  expect([events.length, events[0], events.at(-1)]).toEqual([100, 102, 3]);
  expect((await source.events({ limit: 2 })).map(({ event }) => event)).toEqual([102, 101]);
});

test("event | larger than 1KB may be truncated unless expand=event", async () => {
  const source = await deployEcho(await newCaller());
  const event = { text: "x".repeat(1100) };
  await source.emit({ event });
  expect((await source.events())[0]).toMatchObject({ truncated: true });
  expect((await source.events({ expand: "event" }))[0]?.event).toEqual(event);
});

test("Event ids are tied to emission time and ordered by time", async () => {
  const source = await deployEcho(await newCaller());
  const before = Date.now();
  await source.emit({ event: 1 }, { event: 2 });
  await source.emit({ event: 3 });
  const ids = (await source.events()).map(({ id }) => id.split("-").map(Number));
  const places = ids.map(([ms = 0, count = 0]) => ms * 1000 + count);
  expect(places).toEqual(places.toSorted((a, b) => b - a));
  const times = [before, ...ids.map(([ms = 0]) => ms).toReversed(), Date.now()];
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test("$emit | ts: when given, events are ordered and emitted oldest to newest", async () => {
  const source = await deployEcho(await newCaller());
  await source.emit(...[3, 1, 2].map((ts) => ({ event: ts, meta: { ts } })));
  expect((await source.events()).map(({ event }) => event)).toEqual([3, 2, 1]);
});

test("$emit | name: channel name; default channel when absent; summary: label", async () => {
  const source = await deployEcho(await newCaller());
  await source.emit({ event: 1 }, { event: 2, meta: { name: "orders", summary: "Two" } });
  expect((await source.events()).map(({ metadata }) => metadata)).toMatchObject([
    { name: "orders", summary: "Two" },
    { name: "" },
  ]);
});

test("unique | emits an event only if its id is not cached", async () => {
  const { emitIds, kept } = await deduping("unique");
  await emitIds(1, 2, 1);
  await emitIds(2, 3);
  expect(await kept()).toEqual([1, 2, 3]);
});

test("unique | when over 100, the oldest ids are dropped (first in, first out)", async () => {
  const { emitIds, kept } = await deduping("unique");
  const hundred = Array.from({ length: 100 }, (_, n) => n + 1);
  await emitIds(0, ...hundred);
  await emitIds(1, 0);
  expect((await kept()).slice(-2)).toEqual([100, 0]);
});

test("greatest | caches the largest id (must be numeric); emits only events with a larger id", async () => {
  const { emitIds, kept } = await deduping("greatest");
  await emitIds(5, 3, 7);
  await emitIds(7, 8);
  expect(await kept()).toEqual([5, 7, 8]);
});

test("last | emits only events after the matching id; if no id matches, all are emitted", async () => {
  const { emitIds, kept } = await deduping("last");
  await emitIds("a", "b");
  await emitIds("a", "b", "c", "d");
  await emitIds("x", "y");
  expect(await kept()).toEqual(["a", "b", "c", "d", "x", "y"]);
});

test("with a dedupe strategy, events need an id", async () => {
  const caller = await newCaller();
  const code = `export default { name: "D", version: "1", dedupe: "unique",
    props: { http: "$.interface.http" }, run() { this.$emit("no id"); } };`;
  const source = await deployEcho(caller, code);
  await source.send({});
  expect(await source.events()).toEqual([]);
  expect(await source.events({ eventName: "$errors" })).toHaveLength(1);
});
