import { expect, test } from "vitest";

import { positionAt } from "#domain/event-ids.ts";
import { candidatesOf, type Route } from "#domain/routes.ts";

const emitter = { id: "dc_a", ownerId: "u_ada" };
const route = (
  emitterId: string,
  channel: string,
  listenerId: string,
  ownerId = "u_ada",
): Route => ({
  emitterId,
  channel,
  listenerId,
  ownerId,
  filter: null,
});

test.for([
  ["its own id", [route("dc_a", "", "wh_1")], "", ["wh_1"]],
  ["a glob of its owner's", [route("dc_*", "", "wh_1")], "", ["wh_1"]],
  ["a glob of somebody else's", [route("dc_*", "", "wh_1", "u_eve")], "", []],
  ["a glob of another kind", [route("p_*", "", "wh_1")], "", []],
  ["another channel", [route("dc_a", "orders", "wh_1")], "", []],
  ["the same channel", [route("dc_a", "orders", "wh_1")], "orders", ["wh_1"]],
  ["its owner, for errors", [route("u_ada", "$errors", "wh_1")], "$errors", ["wh_1"]],
  ["its owner, for anything else", [route("u_ada", "$logs", "wh_1")], "$logs", []],
  ["several that match", [route("dc_a", "", "wh_1"), route("dc_*", "", "wh_1")], "", ["wh_1"]],
  ["a glob that includes the listener", [route("dc_*", "", "dc_a")], "", []],
  ["itself on a custom channel", [route("dc_a", "next", "dc_a")], "next", ["dc_a"]],
] as const)("listeners of an event for subscriptions to %s", ([, routes, channel, listeners]) => {
  const found = candidatesOf(emitter, { channel, position: 1 }, routes);
  expect([...found]).toEqual(listeners.map((listener) => [listener, null]));
});

test("a listener has the filters of all its subscriptions, unless one has none", () => {
  const filtered = (one: Route, filter: string) => ({ ...one, filter });
  const routes = [
    filtered(route("dc_a", "", "wh_1"), "no"),
    filtered(route("dc_*", "", "wh_1"), "yes"),
    filtered(route("dc_a", "", "wh_2"), "no"),
    route("dc_*", "", "wh_2"),
    filtered(route("u_ada", "", "wh_2"), "no"),
    filtered(route("dc_a", "", "wh_3"), "no"),
    filtered(route("dc_a", "orders", "wh_4"), "no"),
  ];
  expect([...candidatesOf(emitter, { channel: "", position: 1 }, routes)]).toEqual([
    ["wh_1", ["no", "yes"]],
    ["wh_2", null],
    ["wh_3", ["no"]],
  ]);
});

test("a subscription applies to the events from its millisecond on", () => {
  const since = (listenerId: string, sinceMs: number) => ({
    ...route("dc_a", "", listenerId),
    sinceMs,
  });
  const routes = [since("wh_1", 6), since("wh_2", 7), since("wh_3", 8), route("dc_a", "", "wh_4")];
  const event = { channel: "", position: positionAt(7) };
  expect([...candidatesOf(emitter, event, routes).keys()]).toEqual(["wh_1", "wh_2", "wh_4"]);
});
