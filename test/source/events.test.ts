import { runDurableObjectAlarm } from "cloudflare:test";
import { expect, test } from "vitest";

import { later } from "../support/clock.ts";
import { deploy, eventsOf, sendJson } from "../support/deploy.ts";
import { pendingWork, runsCommitted, undeliveredEvents } from "../support/source-tables.ts";
import { watchAllRows } from "../support/written-rows.ts";

/** Emits each item of the body's list: `[event, meta]`. */
function emitting(dedupe?: string): string {
  return `export default {
    ${dedupe ? `dedupe: "${dedupe}",` : ""}
    props: { http: "$.interface.http" },
    run({ body }) { for (const [event, meta] of body) this.$emit(event, meta) },
  }`;
}

async function emitted(source: Awaited<ReturnType<typeof deploy>>, channel?: string) {
  return (await eventsOf(source.stub, channel)).map(({ event }) => event).toReversed();
}

test("unique emits an id once, across runs", async () => {
  const source = await deploy(emitting("unique"));
  await sendJson(source.url, [
    ["a", { id: 1 }],
    ["b", { id: 1 }],
    ["c", { id: "2" }],
  ]);
  await sendJson(source.url, [
    ["d", { id: 2 }],
    ["e", { id: 3 }],
  ]);
  expect(await emitted(source)).toEqual(["a", "c", "e"]);
});

test("unique forgets the oldest of more than a hundred ids, even if their events are deleted", async () => {
  const source = await deploy(emitting("unique"));
  await sendJson(
    source.url,
    Array.from({ length: 101 }, (_, id) => [id, { id }]),
  );
  await runsCommitted(source.deployment.sourceId);
  await source.stub.deleteEvents({});
  await sendJson(source.url, [
    ["again 1", { id: 1 }],
    ["again 0", { id: 0 }],
  ]);
  expect(await emitted(source)).toEqual(["again 0"]);
});

test("greatest emits only larger ids", async () => {
  const source = await deploy(emitting("greatest"));
  await sendJson(source.url, [
    ["five", { id: 5 }],
    ["four", { id: 4 }],
    ["six", { id: "6" }],
  ]);
  await sendJson(source.url, [
    ["six again", { id: 6 }],
    ["seven", { id: 7 }],
  ]);
  expect(await emitted(source)).toEqual(["five", "six", "seven"]);
});

test("last emits only events after its last known id", async () => {
  const source = await deploy(emitting("last"));
  await sendJson(source.url, [
    ["a", { id: "a" }],
    ["b", { id: "b" }],
  ]);
  await sendJson(source.url, [
    ["a", { id: "a" }],
    ["b", { id: "b" }],
    ["c", { id: "c" }],
  ]);
  await sendJson(source.url, [["x", { id: "x" }]]);
  expect(await emitted(source)).toEqual(["a", "b", "c", "x"]);
});

test.for([
  ["unique", undefined, /needs an id/],
  ["last", null, /needs an id/],
  ["greatest", "abc", /numeric id, got "abc"/],
] as const)(
  "%s emits nothing with the id %j, and records an error",
  async ([dedupe, id, message]) => {
    const source = await deploy(emitting(dedupe));
    await sendJson(source.url, [["x", id === undefined ? {} : { id }]]);
    expect(await emitted(source)).toEqual([]);
    expect(await emitted(source, "$errors")).toMatchObject([
      { error: { code: "DedupeError", message: expect.stringMatching(message) } },
    ]);
  },
);

test("emits with ts are stored oldest first", async () => {
  const source = await deploy(emitting());
  await sendJson(source.url, [
    ["late", { ts: 300 }],
    ["early", { ts: 100 }],
    ["mid", { ts: 200 }],
  ]);
  expect(await emitted(source)).toEqual(["early", "mid", "late"]);
});

test("a channel has its own events, and a component cannot use a channel of the platform", async () => {
  const source = await deploy(emitting());
  await sendJson(source.url, [
    ["default", {}],
    ["custom", { name: "orders" }],
  ]);
  await sendJson(source.url, [["forged", { name: "$errors" }]]);
  expect(await emitted(source)).toEqual(["default", "custom"]);
  expect(await emitted(source, "orders")).toEqual(["custom"]);
  expect(await emitted(source, "")).toEqual(["default"]);
  expect(await emitted(source, "$errors")).toMatchObject([{ error: { code: "RangeError" } }]);
});

test("keeps a hundred events of each channel", async () => {
  const source = await deploy(emitting());
  await sendJson(source.url, [["kept", { name: "rare" }]]);
  for (let round = 0; round < 4; round += 1)
    await sendJson(
      source.url,
      Array.from({ length: 60 }, (_, n) => [round * 60 + n, {}]),
    );
  expect(await emitted(source, "")).toEqual(Array.from({ length: 100 }, (_, n) => 140 + n));
  expect(await emitted(source, "rare")).toEqual(["kept"]);
});

test("pages stay complete while events arrive", async () => {
  const source = await deploy(emitting());
  await sendJson(
    source.url,
    Array.from({ length: 5 }, (_, n) => [n, {}]),
  );
  const page = async (cursor: { after?: string; before?: string }) => {
    const { events } = await source.stub.events({ limit: 2, expand: true, ...cursor });
    return events.map(({ id, payload }) => ({ id, event: JSON.parse(payload) as number }));
  };
  await runsCommitted(source.deployment.sourceId);
  const first = await page({});
  await sendJson(source.url, [[5, {}]]);
  await runsCommitted(source.deployment.sourceId);
  const second = await page({ after: first[1]?.id ?? "" });
  expect([...first, ...second].map(({ event }) => event)).toEqual([4, 3, 2, 1]);
  expect((await page({ before: second[0]?.id ?? "" })).map(({ event }) => event)).toEqual([4, 3]);
});

test("an event over 1 KB is truncated unless it is expanded", async () => {
  const source = await deploy(emitting());
  await sendJson(source.url, [[{ id: 7, text: "x".repeat(2000) }, {}]]);
  await runsCommitted(source.deployment.sourceId);
  const { events } = await source.stub.events({ limit: 1, expand: false });
  expect(events[0]).toMatchObject({ truncated: true });
  expect(JSON.parse(events[0]?.payload ?? "")).toEqual({
    id: 7,
    text: expect.stringMatching(/^x{1900,2000}…$/),
  });
  expect(await emitted(source)).toEqual([{ id: 7, text: "x".repeat(2000) }]);
});

async function numbered() {
  const source = await deploy(emitting());
  await sendJson(
    source.url,
    [0, 1, 2, 3, 4].map((n) => [n, {}]),
  );
  const ids = (await eventsOf(source.stub)).map(({ id }) => id).toReversed();
  return { source, ids };
}

test.for([
  ["all", undefined, undefined, []],
  ["from the third", 2, undefined, [0, 1]],
  ["up to the third", undefined, 2, [3, 4]],
  ["the second to the fourth", 1, 3, [0, 4]],
  ["one alone", 2, 2, [0, 1, 3, 4]],
] as const)("deleting %s leaves only the others, at once", async ([, start, end, rest]) => {
  const { source, ids } = await numbered();
  await source.stub.deleteEvents({
    startId: start === undefined ? undefined : ids[start],
    endId: end === undefined ? undefined : ids[end],
  });
  expect(await emitted(source)).toEqual(rest);
});

test("event ids are epoch milliseconds and a count, and rise", async () => {
  const { ids } = await numbered();
  for (const id of ids) expect(id).toMatch(/^\d{13}-\d{1,3}$/);
  expect(new Set(ids).size).toBe(5);
});

test("every event leaves the outbox after the router has acknowledged it", async () => {
  const { source } = await numbered();
  await expect.poll(() => undeliveredEvents(source.stub)).toBe(0);
});

test("a delayed event is on $in until it is due", async () => {
  const source = await deploy(emitting("unique"));
  const dueMs = Date.now() + 60_000;
  await sendJson(source.url, [["soon", { id: 1, name: "orders", delivery_ts: dueMs }]]);
  expect(await emitted(source)).toEqual([]);
  expect(await emitted(source, "$in")).toEqual(["soon"]);
  await later(60_000, () => runDurableObjectAlarm(source.stub));
  expect(await emitted(source, "orders")).toEqual(["soon"]);
  expect(await emitted(source, "$in")).toEqual([]);
  await sendJson(source.url, [["again", { id: 1 }]]);
  expect(await emitted(source, "")).toEqual([]);
});

test("an event over 1 MB is rejected inside the component", async () => {
  const source = await deploy(`export default { props: { http: "$.interface.http" },
    run() { try { this.$emit("x".repeat(1024 * 1024)) } catch (error) { this.$emit(error.message) } } }`);
  await sendJson(source.url, {});
  expect(await emitted(source)).toEqual([expect.stringMatching(/at most 1 MB/)]);
});

test("an emitted event costs at most three written rows: itself, its acknowledgement, its end", async () => {
  const source = await deploy(emitting("unique"));
  const written = await watchAllRows(source.stub);
  for (let n = 0; n < 200; n += 1) await sendJson(source.url, [[n, { id: n }]]);
  await expect.poll(() => pendingWork(source.stub)).toBe(0);
  // The event of a run that takes longer than 20 ms is in the inbox meanwhile.
  const rows = written().filter((what) => !/\binbox\b/.test(what)).length / 200;
  expect(rows).toBeGreaterThanOrEqual(2);
  expect(rows).toBeLessThanOrEqual(3);
});
