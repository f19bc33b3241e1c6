import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { configure } from "../../tools/compat/configuration.ts";
import { eventOf } from "../../tools/compat/event.ts";
import { startFakeUpstream } from "../../tools/compat/fake-upstream.ts";
import { fakeOf, fixturesFor } from "../../tools/compat/fixtures.ts";
import type { Trial } from "../../tools/compat/subject.ts";
import { withFixtures } from "../../tools/compat/trial.ts";

const TROUBLE = { step: "run", blame: "answers", because: "", name: "TypeError", message: "" };

async function folderWith(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "fixtures-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "ticket.fixtures.json"), text);
  return folder;
}

test("the fixtures of a component are in the file beside it, if there is one", async () => {
  const fixtures = { props: { queue: "a" }, event: { id: 7 }, responses: { "GET x.example/": [] } };
  const folder = await folderWith(JSON.stringify(fixtures));
  expect(await fixturesFor(folder, "ticket.mjs")).toEqual(fixtures);
  expect(await fixturesFor(folder, "other.mjs")).toBeUndefined();
});

test.for([
  ["[]", "ticket.fixtures.json: must be a JSON object"],
  ["{", "ticket.fixtures.json: must be a JSON object"],
  [`{"prop": {}}`, "ticket.fixtures.json: prop: is not one of props, event, responses"],
  [`{"props": []}`, "ticket.fixtures.json: props: must be an object"],
  [`{"responses": [1]}`, "ticket.fixtures.json: responses: must be an object"],
  [`{"responses": {"/items": 1}}`, `must have routes like "GET api.example.com/things/:id"`],
] as const)("fixtures that are %s are refused", async ([text, message]) => {
  const folder = await folderWith(text);
  await expect(fixturesFor(folder, "ticket.mjs")).rejects.toThrow(message);
});

test("requests get the responses of the fixtures, and others get 404, which names them", async () => {
  const upstream = await startFakeUpstream();
  onTestFinished(() => upstream.close());
  upstream.begin("ada", "object");
  upstream.serve("ada", fakeOf({ "GET api.example.com/tickets/:id": { id: 7 } }));
  const get = async (target: string) => {
    const headers = { "x-wellspring-owner": "ada", "x-wellspring-target": target };
    const response = await fetch(upstream.url, { headers });
    return [response.status, await response.json()];
  };
  expect(await get("https://api.example.com/tickets/7?full=1")).toEqual([200, { id: 7 }]);
  expect(await get("https://api.example.com/users")).toEqual([
    404,
    { error: "The fixtures have no response to GET api.example.com/users" },
  ]);
});

test("values and the event of the fixtures replace generated ones", async () => {
  const props = [
    { name: "queue", type: "string" },
    { name: "size", type: "integer" },
  ];
  const user = { call: async () => ({ status: 200, data: { configurable_props: props } }) };
  const trial = {
    lane: { user },
    component: { id: "sc_1", configurable_props: props },
    offered: new Map(),
    leftOut: new Set(),
    fixtures: { props: { queue: "support" }, event: { id: 7 } },
  } as unknown as Trial;
  expect(await configure(trial)).toEqual({ queue: "support", size: 1 });
  expect(eventOf(trial)).toEqual({ id: 7 });
  expect(eventOf({ fixtures: undefined })).toMatchObject({ type: "thing.created" });
});

test("a component that fails with the responses of its fixtures is at fault itself", () => {
  const trouble = { ...TROUBLE, requests: [] } as Parameters<typeof withFixtures>[1];
  expect(withFixtures({ responses: {} }, trouble).blame).toBe("component");
  expect(withFixtures({ event: {} }, trouble).blame).toBe("answers");
  expect(withFixtures(undefined, trouble).blame).toBe("answers");
});
