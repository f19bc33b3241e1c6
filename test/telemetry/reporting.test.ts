import { runDurableObjectAlarm } from "cloudflare:test";
import { expect, test } from "vitest";

import { MAX_HOPS } from "#domain/deliveries.ts";
import { newId } from "#domain/ids.ts";

import { deployed } from "../support/accounts.ts";
import { signUp } from "../support/client.ts";
import { stopClock } from "../support/clock.ts";
import { deploy, send, sendJson } from "../support/deploy.ts";
import { holdBack } from "../support/source-tables.ts";
import { type Line, linesOf, pointsOf } from "../support/telemetry.ts";
import { newReceiver, newWebhook } from "../support/webhook.ts";
import { code, deployWorkflow } from "../support/workflow.ts";

const RELAY = `export default { name: "Relay", version: "1", props: { http: "$.interface.http" },
  run(event) { this.$emit({ relayed: event.body ?? event }) } }`;

const FAILING = `export default { name: "Failing", version: "1", props: { http: "$.interface.http" },
  run() { throw new Error("never") } }`;

test("a component that keeps failing does not fill the log", async () => {
  const source = await deploy(FAILING);
  const lines = await linesOf("info", async () => {
    for (let n = 0; n < 20; n += 1) await sendJson(source.url, {});
  });
  const failures = lines.filter(({ event }) => event === "run_failed");
  expect(failures[0]).toMatchObject({ level: "info", outcome: "failed", count: 1 });
  expect(failures.length).toBeLessThan(10);
});

test("measures runs with their outcome and duration", async () => {
  const [fine, failing] = [await deploy(RELAY), await deploy(FAILING)];
  const points = await pointsOf(async () => {
    for (const { url } of [fine, failing]) await sendJson(url, {});
    for (let n = 0; n < 5; n += 1) await sendJson(fine.url, {});
    await runDurableObjectAlarm(fine.stub);
  });
  const runs = points.filter(({ kind }) => kind === "run");
  const of = ({ deployment }: typeof fine) =>
    runs.filter(({ emitter_id }) => emitter_id === deployment.sourceId);
  expect(of(failing)).toMatchObject([
    { outcome: "failed", trigger: "http", count: 1, owner_id: failing.deployment.ownerId },
  ]);
  expect(of(fine).reduce((sum, { count }) => sum + Number(count), 0)).toBe(6);
  for (const run of of(fine))
    expect(run).toMatchObject({
      outcome: "succeeded",
      duration_ms: expect.any(Number),
      compute_ms: expect.any(Number),
    });
});

test("a run whose event the dedupe strategy rejects is logged as failed", async () => {
  const source = await deploy(`export default {
    name: "Unique", version: "1", dedupe: "unique", props: { http: "$.interface.http" },
    run() { this.$emit({}); } }`);
  const lines = await linesOf("info", () => sendJson(source.url, {}));
  const runs = lines.filter(({ event }) => event === "run_failed" || event === "run_ended");
  expect(runs).toMatchObject([{ event: "run_failed", outcome: "failed" }]);
});

/** Send a request that is rejected. Returns its log lines, its data points, and the id of its response. */
async function refusalOf(request: () => Promise<Response>) {
  const answers: Response[] = [];
  const lines: Line[] = [];
  const points = await pointsOf(() =>
    linesOf("debug", async () => answers.push(await request()), lines),
  );
  return {
    id: answers[0]?.headers.get("x-request-id"),
    lines: lines.filter(({ event }) => event === "event_refused"),
    points: points.filter(({ kind }) => kind === "request"),
  };
}

test("logs a rejected event with the id of its response", async () => {
  const { url, deployment } = await deploy(RELAY);
  const { id, lines, points } = await refusalOf(() => send(url, { body: "x".repeat(600 * 1024) }));
  const { sourceId: emitter_id, ownerId: owner_id } = deployment;
  const common = { owner_id, method: "POST", status: 413 };
  expect(lines).toMatchObject([{ request_id: id, emitter_id, ...common }]);
  expect(points).toMatchObject([{ route: "/e/:key", outcome: "4xx", ...common }]);
});

test("logs a request at the hop limit", async () => {
  const { url, deployment } = await deploy(RELAY);
  const headers = { "x-wellspring-hops": String(MAX_HOPS) };
  const { lines, points, id } = await refusalOf(() => send(url, { headers }));
  const { sourceId: emitter_id, ownerId: owner_id } = deployment;
  expect(lines).toMatchObject([{ request_id: id, emitter_id, owner_id, status: 508 }]);
  expect(points).toMatchObject([{ route: "/e/:key", owner_id, status: 508 }]);
});

test("logs a request with an unknown endpoint key", async () => {
  const { user, post } = await signUp();
  const { data } = (await post("/sources", { component_code: RELAY })).body;
  const url: string = data.configured_props.http.endpoint_url;
  const other = url.slice(0, -1) + (url.endsWith("a") ? "b" : "a");
  const { lines, id } = await refusalOf(() => send(other));
  expect(lines).toMatchObject([
    { request_id: id, emitter_id: data.id, owner_id: user.id, status: 404 },
  ]);
});

test.for([
  [`/e/${"A".repeat(44)}`, 404, "/e/:key"],
  ["/e/short", 404, "/e/:key"],
  [`/resume/${"A".repeat(22)}/x`, 404, "/resume/:key"],
] as const)(
  "logs a request to %s, which belongs to no emitter, without an owner",
  async ([path, status, route]) => {
    const { lines, points, id } = await refusalOf(() => send(`http://wellspring.test${path}`));
    expect(lines).toMatchObject([{ request_id: id, status }]);
    expect(lines[0]).not.toHaveProperty("owner_id");
    expect(points).toMatchObject([{ route, status }]);
  },
);

test("logs a rejected event of a workflow's endpoint with the id of its response", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: code("return 1") }] });
  const { id, lines } = await refusalOf(() => send(flow.url, { body: "x".repeat(600 * 1024) }));
  expect(lines).toMatchObject([
    { request_id: id, emitter_id: flow.id, owner_id: flow.user.user.id, status: 413 },
  ]);
});

test("measures attempts of a webhook, and logs failed ones", async () => {
  const { id, stub } = await newWebhook({ status: 500 });
  const requestId = crypto.randomUUID();
  const lines: Line[] = [];
  const failed = () => lines.filter(({ webhook_id }) => webhook_id === id);
  const points = await pointsOf(() =>
    linesOf(
      "info",
      async () => {
        const position = Date.now() * 1000;
        const ids = { emitterId: newId("source"), eventId: "1-0", emitId: "e" };
        const event = { position, ...ids, eventName: "", hops: 1, payload: "{}", requestId };
        await stub.take([event]);
        await expect.poll(() => failed().length).toBe(1);
      },
      lines,
    ),
  );
  expect(failed()).toMatchObject([
    {
      event: "delivery_failed",
      level: "info",
      request_id: requestId,
      webhook_id: id,
      status: "5xx",
    },
  ]);
  expect(points.filter(({ webhook_id }) => webhook_id === id)).toMatchObject([
    { kind: "delivery", webhook_id: id, outcome: "failed", attempt: 1, count: 1 },
  ]);
});

test("measures events that wait too long in an outbox", async () => {
  stopClock();
  const source = await deploy(RELAY);
  await sendJson(source.url, {});
  await holdBack(source.stub);
  const points = await pointsOf(() => runDurableObjectAlarm(source.stub));
  const { sourceId: emitter_id, ownerId: owner_id } = source.deployment;
  const backlog = points.find(({ kind }) => kind === "outbox");
  expect(backlog).toMatchObject({ emitter_id, owner_id, events: 1, age_ms: 60_000 });
});

test("no line and no point contains users' data, keys or secrets", async () => {
  const SECRET = "hunter2-and-more";
  const lines: Line[] = [];
  const keys: string[] = [];
  const points = await pointsOf(() =>
    linesOf(
      "debug",
      async () => {
        const ada = await signUp();
        keys.push(ada.user.api_key);
        const receiver = await newReceiver({ status: 500 });
        const hook = await ada.post("/webhooks", { url: `${receiver.url}?token=${SECRET}` });
        keys.push(hook.body.data.signing_secret);
        const source = await deployed(
          ada,
          `export default { name: "x", version: "0.0.1",
            props: { http: "$.interface.http", token: { type: "string", secret: true }, plain: "string" },
            async run(event) {
              console.log("${SECRET}", this.token);
              this.$emit({ got: event }, { id: "${SECRET}", summary: "${SECRET}" });
              const error = new Error("${SECRET}"); error.name = "${SECRET}"; throw error;
            } };`,
          { token: SECRET, plain: SECRET },
        );
        await ada.post("/subscriptions", { emitter_id: source.id, listener_id: hook.body.data.id });
        await ada.post("/components", { component_code: `throw new Error("${SECRET}")` });
        await ada.get(`/users/me?q=${SECRET}`);
        await ada.post("/sources", `{"${SECRET}`, { "content-type": "application/json" });
        const { body } = await ada.get(`/sources/${source.id}`);
        const url = String(body.data.configured_props.http.endpoint_url);
        keys.push(url.split("/e/")[1] ?? "");
        await send(`${url}/${SECRET}?q=${SECRET}`, {
          body: SECRET,
          headers: { "x-own": SECRET, authorization: `Bearer ${SECRET}` },
        });
        await expect
          .poll(() => lines.some(({ event }) => event.startsWith("delivery_")))
          .toBe(true);
      },
      lines,
    ),
  );
  const names = new Set(lines.map(({ event }) => event));
  expect(names).toContain("run_failed");
  expect(names).toContain("request");
  const all = JSON.stringify([lines, points]);
  expect(all).not.toContain("hunter2");
  expect(keys).toHaveLength(3);
  for (const key of keys) expect(all).not.toContain(key);
});
