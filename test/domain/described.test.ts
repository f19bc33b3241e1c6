import { expect, test } from "vitest";

import { readDefinition } from "#domain/parse-definition.ts";

const whole = {
  name: "Greeter",
  version: "1",
  type: "source",
  runs: true,
  hooks: ["deploy"],
  dynamic: false,
  props: [{ name: "x", type: "string", options: [{ label: "A", value: null }] }],
};

const read = (changes: object) => readDefinition(JSON.stringify({ ...whole, ...changes }));

test("returns a component's definition unchanged", () => {
  expect(read({})).toEqual(whole);
  expect(read({ key: null, dedupe: null })).toEqual(whole);
  expect(read({ version: 2 })).toEqual({ ...whole, version: "2" });
});

test.for([
  ["no name", { name: undefined }, "name"],
  ["an empty name", { name: " " }, "name"],
  ["no version", { version: undefined }, "version"],
  ["an unknown type", { type: "sink" }, "type"],
  ["an unknown dedupe strategy", { dedupe: "most" }, "dedupe"],
  ["a prop without a type", { props: [{ name: "x" }] }, "props.x.type"],
  ["an unknown interface", { props: [{ name: "x", type: "$.interface.htp" }] }, "props.x.type"],
  [
    "an alert of no known tone",
    { props: [{ name: "x", type: "alert", alertType: "loud", content: "Mind the gap" }] },
    "props.x.alertType",
  ],
  [
    "an alert without content",
    { props: [{ name: "x", type: "alert", alertType: "info" }] },
    "props.x.content",
  ],
  [
    "an action that requests wake",
    { type: "action", hooks: [], props: [{ name: "http", type: "$.interface.http" }] },
    "props.http",
  ],
  [
    "an action that a timer wakes",
    { type: "action", hooks: [], props: [{ name: "timer", type: "$.interface.timer" }] },
    "props.timer",
  ],
  ["an action with a hook", { type: "action" }, "hooks.deploy"],
  ["an action without run", { type: "action", runs: false }, "run"],
  [
    "an HTTP source without run",
    { runs: false, props: [{ name: "http", type: "$.interface.http" }] },
    "run",
  ],
  ["a megabyte of props", { description: "x".repeat(1024 * 1024) }, "props"],
] as const)("rejects an invalid definition: %s", ([, changes, path]) => {
  expect(read(changes)).toEqual([{ path, message: expect.any(String) }]);
});

test.for(["", "null", "[]", "{}"])("rejects %j as a definition", (text) => {
  expect(readDefinition(text)).toBeInstanceOf(Array);
});
