import { expect, test } from "vitest";

import type { Delivery } from "#domain/deliveries.ts";
import type { EmissionMessage } from "#domain/messages.ts";
import type { Route } from "#domain/routes.ts";
import { type Exchange, route } from "#worker/queue/router.ts";

import { pointsOf } from "../support/telemetry.ts";

/** An exchange that notes what is asked of it. `down`: listeners that take nothing. */
function exchangeOf(routes: Route[], down = new Set<string>()) {
  const notes = {
    claims: 0,
    trips: 0,
    heard: undefined as boolean | undefined,
    delivered: [] as { listenerId: string; deliveries: Delivery[] }[],
    acknowledged: [] as [string, number[]][],
    sent: [] as EmissionMessage[],
  };
  const exchange: Exchange = {
    claim: async (sourceId, positions) => {
      notes.claims += 1;
      return sourceId === "dc_gone"
        ? null
        : {
            deferred: positions.filter((position) => position >= 1000),
            events: positions
              .filter((position) => position < 1000)
              .map((position) => ({
                position,
                channel: "",
                emitId: `e${position}`,
                payload: "1",
                hops: 1,
              })),
          };
    },
    routes: async () => {
      notes.trips += 1;
      return routes;
    },
    deliver: async (listenerId, deliveries) => {
      if (down.has(listenerId)) throw new Error("down");
      notes.delivered.push({ listenerId, deliveries });
      return true;
    },
    acknowledge: async (sourceId, positions, hasSubscribers) => {
      notes.heard = hasSubscribers;
      notes.acknowledged.push([sourceId, positions]);
    },
    send: async (message) => void notes.sent.push(message),
  };
  return { exchange, notes };
}

const ADA = { ownerId: "u_ada" } as const;

const to = (listenerId: string, emitterId = "dc_*"): Route => ({
  emitterId,
  ownerId: "u_ada",
  channel: "",
  listenerId,
});

test("a batch makes one round trip for its routes, and one call to each listener", async () => {
  const { exchange, notes } = exchangeOf([to("wh_1"), to("wh_2", "dc_a")]);
  const messages = [
    { ...ADA, sourceId: "dc_a", positions: [1, 2] },
    { ...ADA, sourceId: "dc_b", positions: [3] },
  ];
  expect(await route(messages, exchange)).toEqual([true, true]);
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

test("nobody listens: the events are acknowledged unread, and no listener is called", async () => {
  const { exchange, notes } = exchangeOf([]);
  expect(await route([{ ...ADA, sourceId: "dc_a", positions: [1] }], exchange)).toEqual([true]);
  expect(notes).toMatchObject({ claims: 0, delivered: [], acknowledged: [["dc_a", [1]]] });
  expect(notes.heard).toBe(false);
});

test("what one listener did not take is not acknowledged, and holds up nobody else", async () => {
  const { exchange, notes } = exchangeOf(
    [to("wh_down", "dc_a"), to("wh_up")],
    new Set(["wh_down"]),
  );
  const messages = [
    { ...ADA, sourceId: "dc_a", positions: [1] },
    { ...ADA, sourceId: "dc_b", positions: [2] },
  ];
  expect(await route(messages, exchange)).toEqual([false, true]);
  expect(notes.delivered).toMatchObject([{ listenerId: "wh_up" }]);
  expect(notes.acknowledged).toEqual([["dc_b", [2]]]);
});

test("a message of a source that is gone is settled", async () => {
  const { exchange, notes } = exchangeOf([to("wh_1")]);
  expect(await route([{ ...ADA, sourceId: "dc_gone", positions: [1] }], exchange)).toEqual([true]);
  expect(notes).toMatchObject({ trips: 1, delivered: [], acknowledged: [] });
});

test("what did not fit a claim is asked for again", async () => {
  const { exchange, notes } = exchangeOf([to("wh_1")]);
  await route([{ ...ADA, sourceId: "dc_a", positions: [1, 1000, 1001] }], exchange);
  expect(notes).toMatchObject({
    sent: [{ ...ADA, sourceId: "dc_a", positions: [1000, 1001] }],
    acknowledged: [["dc_a", [1]]],
  });
});

const crowd = Array.from({ length: 501 }, (_, n) => to(`wh_${String(n).padStart(3, "0")}`));

test("more listeners than a pass serves are served by the next, which acknowledges", async () => {
  const { exchange, notes } = exchangeOf(crowd);
  const message = { ...ADA, sourceId: "dc_a", positions: [1] };
  expect(await route([message], exchange)).toEqual([true]);
  expect(notes.delivered).toHaveLength(500);
  expect(notes).toMatchObject({ acknowledged: [], sent: [{ ...message, after: "wh_499" }] });
  await route(notes.sent, exchange);
  expect(notes.delivered.at(-1)).toMatchObject({ listenerId: "wh_500" });
  expect(notes.acknowledged).toEqual([["dc_a", [1]]]);
});

test("the next pass does not begin before this one has reached everybody", async () => {
  const { exchange, notes } = exchangeOf(crowd, new Set(["wh_007"]));
  expect(await route([{ ...ADA, sourceId: "dc_a", positions: [1] }], exchange)).toEqual([false]);
  expect(notes).toMatchObject({ acknowledged: [], sent: [] });
});

test("a batch is measured by kind of listener and outcome, however many there are", async () => {
  const { exchange } = exchangeOf(
    [to("wh_1"), to("wh_2"), to("wh_down"), to("dc_1"), to("p_1")],
    new Set(["wh_down"]),
  );
  const points = await pointsOf(() =>
    route([{ ...ADA, sourceId: "dc_a", positions: [1, 2] }], exchange),
  );
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
