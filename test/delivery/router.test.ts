import { expect, test } from "vitest";

import { MAX_RUNS_PER_TRIGGER } from "#domain/chains.ts";
import type { EmissionMessage } from "#domain/messages.ts";
import type { Route } from "#domain/routes.ts";
import { type RouterDeps, route } from "#worker/queue/router.ts";

import { routerDepsOf } from "../support/router-deps.ts";
import { pointsOf } from "../support/telemetry.ts";

const ADA = { ownerId: "u_ada" } as const;
const MESSAGE = { ...ADA, sourceId: "dc_a", positions: [1] };
const TWO = { ...MESSAGE, positions: [1, 2] };

const to = (listenerId: string, emitterId = "dc_*"): Route => ({
  emitterId,
  ownerId: "u_ada",
  channel: "",
  listenerId,
  filter: null,
});

test("a batch makes one round trip for its routes, and one call to each listener", async () => {
  const { deps, notes } = routerDepsOf([to("wh_1"), to("wh_2", "dc_a")]);
  const messages = [
    { ...ADA, sourceId: "dc_a", positions: [1, 2] },
    { ...ADA, sourceId: "dc_b", positions: [3] },
  ];
  expect(await route(messages, deps)).toEqual([true, true]);
  expect(notes.trips).toBe(1);
  expect(
    notes.delivered.map(({ listenerId, deliveries }) => [listenerId, deliveries.length]),
  ).toEqual([
    ["wh_1", 3],
    ["wh_2", 2],
  ]);
  expect(notes.acknowledged).toEqual([
    ["dc_a", [1, 2]],
    ["dc_b", [3]],
  ]);
});

test("unavailable routes of one owner delay no other, and the owner's events are retried", async () => {
  const { deps, notes } = routerDepsOf([{ ...to("wh_1"), ownerId: "u_ben" }]);
  const lookups: string[] = [];
  const routes: RouterDeps["routes"] = async (ownerId, emitterIds) => {
    lookups.push([ownerId, ...emitterIds].join(" "));
    if (ownerId === "u_ada") throw new Error("overloaded");
    return deps.routes(ownerId, emitterIds);
  };
  const ben = { ownerId: "u_ben" } as const;
  const messages = [
    { ...ADA, sourceId: "dc_a", positions: [1] },
    { ...ben, sourceId: "dc_b", positions: [2] },
    { ...ben, sourceId: "p_c", positions: [3] },
  ];
  expect(await route(messages, { ...deps, routes })).toEqual([false, true, true]);
  expect(lookups).toEqual(["u_ada dc_a dc_* u_ada", "u_ben dc_b dc_* u_ben p_c p_*"]);
  expect(notes.acknowledged.map(([id]) => id).toSorted()).toEqual(["dc_b", "p_c"]);
});

test("events without listeners are acknowledged unread", async () => {
  const { deps, notes } = routerDepsOf([]);
  expect(await route([{ ...ADA, sourceId: "dc_a", positions: [1] }], deps)).toEqual([true]);
  expect(notes).toMatchObject({ claims: 0, delivered: [], acknowledged: [["dc_a", [1]]] });
  expect(notes.hasSubscribers).toBe(false);
});

test("an event that one listener rejected is not acknowledged, and delays no other listener", async () => {
  const { deps, notes } = routerDepsOf([to("wh_down", "dc_a"), to("wh_up")], new Set(["wh_down"]));
  const messages = [
    { ...ADA, sourceId: "dc_a", positions: [1] },
    { ...ADA, sourceId: "dc_b", positions: [2] },
  ];
  expect(await route(messages, deps)).toEqual([false, true]);
  expect(notes.delivered).toMatchObject([{ listenerId: "wh_up" }]);
  expect(notes.acknowledged).toEqual([["dc_b", [2]]]);
});

test("a message of a deleted source is settled", async () => {
  const { deps, notes } = routerDepsOf([to("wh_1")]);
  expect(await route([{ ...ADA, sourceId: "dc_gone", positions: [1] }], deps)).toEqual([true]);
  expect(notes).toMatchObject({ trips: 1, delivered: [], acknowledged: [] });
});

test("events that exceed a claim are queued again", async () => {
  const { deps, notes } = routerDepsOf([to("wh_1")]);
  await route([{ ...ADA, sourceId: "dc_a", positions: [1, 1000, 1001] }], deps);
  expect(notes).toMatchObject({
    sent: [{ ...ADA, sourceId: "dc_a", positions: [1000, 1001] }],
    acknowledged: [["dc_a", [1]]],
  });
});

const crowd = Array.from({ length: 1001 }, (_, n) => to(`wh_${String(n).padStart(4, "0")}`));

test("listeners beyond one pass are served by the next, which acknowledges", async () => {
  const { deps, notes } = routerDepsOf(crowd);
  expect(await route([MESSAGE], deps)).toEqual([true]);
  expect(notes.delivered).toHaveLength(1000);
  expect(notes).toMatchObject({ acknowledged: [], sent: [{ ...MESSAGE, after: "wh_0999" }] });
  await route(notes.sent, deps);
  expect(notes.delivered.at(-1)).toMatchObject({ listenerId: "wh_1000" });
  expect(notes.acknowledged).toEqual([["dc_a", [1]]]);
});

test("the next pass waits until every listener of this one has accepted", async () => {
  const { deps, notes } = routerDepsOf(crowd, new Set(["wh_0007"]));
  expect(await route([MESSAGE], deps)).toEqual([false]);
  expect(notes).toMatchObject({ acknowledged: [], sent: [] });
});

test("a batch writes one data point per kind of listener and outcome", async () => {
  const { deps } = routerDepsOf(
    [to("wh_1"), to("wh_2"), to("wh_down"), to("dc_1"), to("p_1")],
    new Set(["wh_down"]),
  );
  const points = await pointsOf(() => route([TWO], deps));
  const seen = points.map(({ kind, listener_kind, outcome, count }) =>
    [kind, listener_kind, outcome, count].join(" "),
  );
  expect(seen.toSorted()).toEqual([
    "handover source taken 2",
    "handover webhook refused 2",
    "handover webhook taken 4",
    "handover workflow taken 2",
  ]);
  for (const { age_ms } of points) expect(age_ms).toBeGreaterThan(0);
});

test("a filtered event is acknowledged and measured, and delays no other listener", async () => {
  const filtered = (listenerId: string, filter: string) => ({ ...to(listenerId), filter });
  const { deps, notes } = routerDepsOf([
    filtered("wh_none", "event > 1"),
    filtered("wh_broken", "event.("),
    filtered("wh_failing", "event.a.b"),
    filtered("wh_all", "event == 1 && source == 'dc_a'"),
  ]);
  const points = await pointsOf(() => route([TWO], deps));
  expect(notes.delivered).toMatchObject([{ listenerId: "wh_all" }]);
  expect(notes.acknowledged).toEqual([["dc_a", [1, 2]]]);
  expect(points).toContainEqual(
    expect.objectContaining({
      kind: "handover",
      listener_kind: "webhook",
      outcome: "filtered",
      count: 6,
    }),
  );
});

const LONG_TEXT = JSON.stringify("x".repeat(1_000_000));

/** Filters that examine three million characters each, and match. */
const costly = (count: number, owner: Pick<Route, "ownerId"> = ADA): Route[] =>
  Array.from({ length: count }, (_, n) => {
    const searches = ["a", "b", "c"].map((letter) => `event.includes("${letter}${n}")`);
    return { ...to(`wh_${100 + n}`), ...owner, filter: `${searches.join("||")}||true` };
  });

/** Route messages and their follow-ups, batch by batch. Returns the deliveries of each. */
async function drain(
  messages: EmissionMessage[],
  { deps, notes }: ReturnType<typeof routerDepsOf>,
) {
  const batches: [string, number[]][][] = [];
  for (let batch = messages; batch.length > 0; batch = notes.sent.splice(0)) {
    expect(await route(batch, deps)).toEqual(batch.map(() => true));
    const delivered = notes.delivered.splice(0);
    batches.push(
      delivered.map(({ listenerId, deliveries }) => [
        listenerId,
        deliveries.map(({ position }) => position),
      ]),
    );
  }
  return batches;
}

test("filters that use up a batch's work leave other listeners to the next batch, and lose nothing", async () => {
  const world = routerDepsOf([to("wh_000"), ...costly(100), to("wh_999")], new Set(), LONG_TEXT);
  const batches = await drain([{ ...ADA, sourceId: "dc_a", positions: [1] }], world);
  expect(batches.length).toBeGreaterThan(2);
  for (const batch of batches) expect(batch.length).toBeLessThan(40);
  const reached = batches.flat();
  expect(reached).toEqual(world.routes.map(({ listenerId }) => [listenerId, [1]]));
  expect(world.notes.acknowledged).toEqual([["dc_a", [1]]]);
});

test("the listeners of several passes share the event's budget of runs", async () => {
  const world = routerDepsOf(costly(70), new Set(), LONG_TEXT);
  let runs = 0;
  let batch: EmissionMessage[] = [{ ...ADA, sourceId: "dc_a", positions: [1] }];
  for (; batch.length > 0; batch = world.notes.sent.splice(0)) await route(batch, world.deps);
  for (const { deliveries } of world.notes.delivered)
    for (const { budget } of deliveries) runs += budget ?? Infinity;
  expect(world.notes.delivered).toHaveLength(70);
  expect(runs).toBe(MAX_RUNS_PER_TRIGGER);
});

test("a filter that uses up a batch's work on some events leaves the others to the next batch", async () => {
  const world = routerDepsOf(costly(1), new Set(), LONG_TEXT);
  const positions = Array.from({ length: 50 }, (_, n) => n + 1);
  const batches = await drain([{ ...ADA, sourceId: "dc_a", positions }], world);
  expect(batches.length).toBeGreaterThan(1);
  expect(batches.flat().flatMap(([, got]) => got)).toEqual(positions);
  expect(world.notes.acknowledged.flatMap(([, acknowledged]) => acknowledged)).toEqual(positions);
});

test("costly filters of one owner delay no other owner's events", async () => {
  const eve = { ownerId: "u_eve" } as const;
  const mine = { ...costly(1)[0], listenerId: "wh_ada" } as Route;
  const world = routerDepsOf([...costly(100, eve), mine], new Set(), LONG_TEXT);
  const messages = [
    ...Array.from({ length: 9 }, (_, n) => ({ ...eve, sourceId: `dc_${n}`, positions: [1] })),
    { ...ADA, sourceId: "dc_a", positions: [2, 3] },
  ];
  const [first, ...later] = await drain(messages, world);
  expect(first).toContainEqual(["wh_ada", [2, 3]]);
  expect(first?.length).toBeLessThan(25);
  expect([...(first ?? []), ...later.flat()].flatMap(([, got]) => got)).toHaveLength(902);
});

test("a full batch calls fewer objects than an invocation may, in several passes", async () => {
  const emitters = Array.from({ length: 100 }, (_, n) => `dc_${n}`);
  const routes = emitters.flatMap((id) =>
    Array.from({ length: 500 }, (_, n) => to(`wh_${id}_${n}`, id)),
  );
  const { deps, notes } = routerDepsOf(routes);
  const messages = emitters.map((sourceId) => ({ ...ADA, sourceId, positions: [1] }));
  expect(await route(messages, deps)).toEqual(messages.map(() => true));
  expect(notes.delivered.length).toBe(8000);
  expect(notes.sent.map(({ sourceId }) => sourceId)).toEqual(emitters);
});

test("messages of one emitter do not share the bound: their listeners are the same", async () => {
  const { deps, notes } = routerDepsOf(Array.from({ length: 500 }, (_, n) => to(`wh_${n}`)));
  const messages = Array.from({ length: 100 }, (_, n) => ({ ...MESSAGE, positions: [n] }));
  expect(await route(messages, deps)).toEqual(messages.map(() => true));
  expect(notes.delivered.length).toBe(500);
  expect(notes.sent).toEqual([]);
});
