import { expect, test } from "vitest";

import { apphooksOf } from "#domain/apphooks.ts";

const APP = { name: "chat", type: "app", app: "chat" };
const OTHER = { name: "other", type: "app", app: "chat" };
const VALUES = { chat: { authProvisionId: "apn_1" }, other: { authProvisionId: "apn_2" } };
const hook = (more: object) => ({
  name: "h",
  type: "$.interface.apphook",
  appProp: "chat",
  ...more,
});

test.for([
  [[hook({ eventNames: ["a", "b", "a"] })], { apn_1: ["a", "b"] }],
  [[hook({ static: ["a"] })], { apn_1: ["a"] }],
  [[hook({ eventNames: ["a"], static: ["b", 7, null] })], { apn_1: ["a", "b"] }],
  [[hook({})], { apn_1: [] }],
  [[hook({ eventNames: [] })], { apn_1: [] }],
  [[hook({ eventNames: ["a"] }), hook({ eventNames: ["b"] })], { apn_1: ["a", "b"] }],
  [[hook({ eventNames: ["a"] }), hook({})], { apn_1: [] }],
  [[hook({}), hook({ eventNames: ["a"] })], { apn_1: [] }],
  [[hook({ eventNames: ["a"] }), hook({ appProp: "other" })], { apn_1: ["a"], apn_2: [] }],
  [[hook({ appProp: "nothing" }), hook({ appProp: 7 })], {}],
  [[{ ...hook({}), type: "string" }], {}],
] as const)("maps apphooks %# to events by account", ([hooks, events]) => {
  expect(apphooksOf([APP, OTHER, ...hooks], VALUES)).toEqual(events);
});

test("a source without an account has no events", () => {
  expect(apphooksOf([APP, hook({})], {})).toEqual({});
});
