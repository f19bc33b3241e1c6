import { env, exports } from "cloudflare:workers";
import { expect, onTestFinished, test } from "vitest";

import { signUp } from "../support/client.ts";
import { type Line, linesOf } from "../support/telemetry.ts";

const CODE = `
export default {
  name: "Orders",
  version: "0.0.1",
  dedupe: "unique",
  props: { http: "$.interface.http" },
  run({ body: order }) {
    if (!order.id) throw new TypeError("An order has no id");
    this.$emit(order, { id: order.id, summary: "Order " + order.id });
  },
};`;

function showRuns(): void {
  env.EVENT_LINES = "true";
  onTestFinished(() => {
    delete env.EVENT_LINES;
  });
}

async function deployed() {
  const ada = await signUp();
  const { body } = await ada.post("/sources", { component_code: CODE, name: "Orders" });
  const send = (order: object, path = "") =>
    exports.default.fetch(body.data.configured_props.http.endpoint_url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(order),
    });
  return { ada, id: String(body.data.id), send };
}

const shown = (lines: Line[]) => lines.filter(({ event }) => event === "shown_run");

test("shows each run with its events and its number of listeners", async () => {
  const { ada, id, send } = await deployed();
  const hook = await ada.post("/webhooks?url=https://example.com/orders");
  await ada.post(`/subscriptions?emitter_id=${id}&listener_id=${hook.body.data.id}`);
  showRuns();
  const lines: Line[] = [];
  await linesOf(
    "silent",
    async () => {
      for (const order of [{ id: 1 }, { id: 1 }, {}]) await send(order, "/new");
      await expect.poll(() => shown(lines)).toHaveLength(3);
    },
    lines,
  );
  const run = { trigger: "http", method: "POST", path: "/new", status: 200, name: "Orders" };
  const failure = { name: "TypeError", message: "An order has no id" };
  const runs = shown(lines);
  expect(runs.find(({ events }) => events === 1)).toMatchObject({
    ...run,
    summaries: ["Order 1"],
    listeners: 1,
  });
  expect(runs.find((line) => line["failure"])).toMatchObject({ ...run, events: 0, failure });
  expect(runs.filter(({ events }) => events === 0)).toHaveLength(2);
  expect(JSON.stringify(runs)).toMatch(/component\.js:\d+:\d+/);
});

test("counts listeners without a query of D1 for each run", async () => {
  const { ada, id, send } = await deployed();
  const hook = await ada.post("/webhooks?url=https://example.com/orders");
  await ada.post(`/subscriptions?emitter_id=${id}&listener_id=${hook.body.data.id}`);
  showRuns();
  const lines: Line[] = [];
  await linesOf(
    "silent",
    async () => {
      await send({ id: 1 });
      await expect.poll(() => shown(lines)).toHaveLength(1);
      // The platform does not see this change: only a query of D1 would.
      await env.DB.prepare("DELETE FROM subscriptions WHERE emitter_id = ?").bind(id).run();
      await send({ id: 2 });
      await expect.poll(() => shown(lines)).toHaveLength(2);
    },
    lines,
  );
  expect(shown(lines).map(({ listeners }) => listeners)).toEqual([1, 1]);
});

test("shows no run unless configured to", async () => {
  const { send } = await deployed();
  const lines = await linesOf("silent", () => send({ id: 1 }));
  expect(shown(lines)).toEqual([]);
});
