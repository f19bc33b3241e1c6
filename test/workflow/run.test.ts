import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { operator, signUp } from "../support/client.ts";
import { send } from "../support/deploy.ts";
import { newReceiver } from "../support/webhook.ts";
import { leaveRun, makeChecksDue } from "../support/workflow-tables.ts";
import {
  code,
  deployWorkflow,
  engineOf,
  runOnce,
  runOf,
  runsOf,
  triggerHttp,
} from "../support/workflow.ts";

const COUNT = [{ name: "one", component_code: code("return 1") }];

/** A source that emits its requests. */
const RELAY = `export default {
  name: "Relay", version: "0.0.1", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body) },
}`;

test("a step responds to the HTTP caller with the return value of the previous step", async () => {
  const { url } = await deployWorkflow({
    steps: [
      { name: "double", component_code: code("return steps.trigger.event.body.n * 2") },
      {
        name: "answer",
        component_code: code("$.respond({ status: 201, body: { n: steps.double.$return_value } })"),
      },
    ],
  });
  expect(await triggerHttp(url, { n: 21 })).toMatchObject({ status: 201, text: '{"n":42}' });
});

test("a caller without a response from a step gets the run's id and a request id", async () => {
  const flow = await deployWorkflow({ steps: COUNT });
  const answer = await send(flow.url);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  const [run] = await runsOf(flow);
  expect(await answer.json()).toEqual({ ok: true, run_id: run.id });
});

test("a run is stored with its event and its steps, their exports and logs", async () => {
  const flow = await deployWorkflow({
    steps: [
      {
        name: "first",
        component_code: code(
          `$.export("$summary", "Done"); $.export("n", 1); console.log("hello", 2); return { a: [1] }`,
        ),
      },
      { name: "second", component_code: code("return steps.first.n + 1") },
    ],
  });
  const run = await runOnce(flow, { id: 7 });
  expect(run).toMatchObject({
    state: "succeeded",
    deployment_id: flow.workflow.deployment_id,
    source_type: "http",
    event: { method: "POST", body: { id: 7 } },
    error: null,
    steps: [
      {
        name: "first",
        state: "succeeded",
        exports: { $summary: "Done", n: 1, $return_value: { a: [1] } },
        logs: [{ level: "info", message: "hello 2", ts: expect.any(Number) }],
      },
      { name: "second", state: "succeeded", exports: { $return_value: 2 } },
    ],
  });
  const times: number[] = [run.queued_at_ms, run.started_at_ms, run.ended_at_ms];
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(await runsOf(flow)).toMatchObject([{ id: run.id, state: "succeeded" }]);
});

test("an action runs with its props, its methods and its app", async () => {
  const ada = await signUp();
  const saved = await ada.post("/components", {
    component_code: `
      const shop = { type: "app", app: "shop", methods: { name() { return "shop " + typeof this.$auth } } };
      export default {
        key: "shop-greet", name: "Greet", version: "0.0.1", type: "action",
        props: { shop: { ...shop, optional: true }, who: { type: "string" }, times: { type: "integer", default: 2 } },
        methods: { greeting() { return "Hi " + this.who } },
        async run({ $ }) { const { greeting } = this; $.export("times", this.times); return greeting() + " from " + this.shop.name() },
      }`,
  });
  for (const chosen of [{ component_id: saved.body.data.id }, { key: "shop-greet" }]) {
    const flow = await deployWorkflow({
      owner: ada,
      steps: [{ name: "greet", ...chosen, props: { who: "Ada" } }],
    });
    expect((await runOnce(flow)).steps).toMatchObject([
      { exports: { times: 2, $return_value: "Hi Ada from shop object" } },
    ]);
  }
});

test("inline code may be a function, or wrapped in defineComponent", async () => {
  const flow = await deployWorkflow({
    steps: [
      { name: "plain", component_code: "export default ({ steps }) => steps.trigger.event.method" },
      {
        name: "wrapped",
        component_code:
          "export default defineComponent({ run: ({ steps }) => steps.plain.$return_value + '!' })",
      },
    ],
  });
  expect((await runOnce(flow)).steps[1].exports).toEqual({ $return_value: "POST!" });
});

test("a step's environment has the workflow's id and the stash folder", async () => {
  const flow = await deployWorkflow({
    steps: [
      {
        name: "look",
        component_code: code("return [process.env.PIPEDREAM_WORKFLOW_ID, process.env.STASH_DIR]"),
      },
    ],
  });
  expect((await runOnce(flow)).steps[0].exports.$return_value).toEqual([flow.id, "/tmp"]);
});

test("an event of a source runs a subscribed workflow once", async () => {
  const flow = await deployWorkflow({
    trigger: { type: "none" },
    steps: [{ name: "keep", component_code: code("return steps.trigger.event") }],
  });
  const { ada, source } = await relayOf(flow);
  await ada.post("/subscriptions", { emitter_id: source.id, listener_id: flow.id });
  await emit(source, { id: 1 });
  await expect.poll(() => runsOf(flow)).toMatchObject([{ state: "succeeded" }]);
  const [{ id }] = await runsOf(flow);
  const run = await runOf(flow, id);
  expect(run).toMatchObject({ source_type: "source", emitter_id: source.id, event: { id: 1 } });
  const [event] = (await ada.get(`/sources/${source.id}/event_summaries`)).body.data;
  expect(id).toBe(event.metadata.emit_id);

  const [, count] = /^(\d+)-(\d+)$/.exec(event.id)?.slice(1).map(Number) ?? [];
  const position = event.indexed_at_ms * 1000 + (count ?? 0);
  const again = { position, emitterId: source.id, eventId: event.id, emitId: id, channel: "" };
  await flow.stub.receive([{ ...again, payload: "{}", hops: 1 }]);
  expect(await runsOf(flow)).toHaveLength(1);
});

async function relayOf({ user }: { user: Awaited<ReturnType<typeof signUp>> }) {
  const { body } = await user.post("/sources", { component_code: RELAY });
  return { ada: user, source: body.data };
}

async function emit(
  source: { configured_props: { http: { endpoint_url: string } } },
  body: object,
) {
  await send(source.configured_props.http.endpoint_url, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

test("a timer runs a workflow with the tick as its event", async () => {
  const flow = await deployWorkflow({
    trigger: { type: "timer", interval_seconds: 60 },
    steps: COUNT,
  });
  expect(flow.workflow.trigger).toEqual({ type: "timer", interval_seconds: 60 });
  await runDurableObjectAlarm(flow.stub);
  await expect
    .poll(() => runsOf(flow))
    .toMatchObject([{ source_type: "timer", state: "succeeded" }]);
  const [{ id }] = await runsOf(flow);
  expect((await runOf(flow, id)).event).toEqual({
    timestamp: expect.any(Number),
    interval_seconds: 60,
    timezone_configured: { timezone: "UTC", iso8601: expect.anything() },
    timezone_utc: { timezone: "UTC", iso8601: expect.anything() },
  });
});

test("runs in progress finish with the version that they started with", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const flow = await deployWorkflow({
    steps: [
      {
        name: "wait",
        component_code: code(`await fetch("${gate.url}", { method: "POST" }); return 'old'`),
      },
      { name: "say", component_code: code("$.respond({ body: steps.wait.$return_value })") },
    ],
  });
  const old = triggerHttp(flow.url);
  await expect.poll(gate.received).toHaveLength(1);
  const { body } = await operator.put(`/workflows/${flow.id}`, {
    steps: [{ name: "say", component_code: code("$.respond({ body: 'new' })") }],
  });
  expect(body.data.deployment_id).not.toBe(flow.workflow.deployment_id);
  expect(body.data.trigger.endpoint_url).toBe(flow.url);
  expect((await triggerHttp(flow.url)).text).toBe("new");
  await gate.release();
  expect((await old).text).toBe("old");
});

test("an inactive workflow has no endpoint, and a deleted one leaves no state", async () => {
  const flow = await deployWorkflow({ steps: COUNT });
  await operator.put(`/workflows/${flow.id}`, { active: false });
  expect((await triggerHttp(flow.url)).status).toBe(404);
  await operator.put(`/workflows/${flow.id}`, { active: true });
  expect((await triggerHttp(flow.url)).status).toBe(200);
  expect(await operator.delete(`/workflows/${flow.id}`)).toMatchObject({ status: 204 });
  expect((await triggerHttp(flow.url)).status).toBe(404);
  expect(await operator.get(`/workflows/${flow.id}`)).toMatchObject({ status: 404 });
  expect(await flow.user.get(`/workflows/${flow.id}/runs`)).toMatchObject({ status: 404 });
  await runInDurableObject(flow.stub, (_, { storage }) => {
    expect([...storage.kv.list()]).toEqual([]);
  });
});

test("a run without an instance in the engine gets one again", async () => {
  const flow = await deployWorkflow({ steps: COUNT });
  await leaveRun(flow.stub, "lost", flow.workflow.deployment_id);
  await evictDurableObject(flow.stub);
  await runInDurableObject(flow.stub, async (object) => object.alarm());
  await expect.poll(() => runOf(flow, "lost")).toMatchObject({ state: "succeeded" });
});

test("a run that the engine gave up is reported as failed", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const flow = await deployWorkflow({
    steps: [
      { name: "long", component_code: code(`await fetch("${gate.url}", { method: "POST" })`) },
    ],
  });
  const answer = triggerHttp(flow.url);
  // The engine has an instance once its step runs.
  await expect.poll(gate.received).toHaveLength(1);
  const [{ id }] = await runsOf(flow);
  const instance = await engineOf(flow.id).get(`${flow.id}-${id}`);
  await instance.terminate();
  await makeChecksDue(flow.stub);
  await runInDurableObject(flow.stub, async (object) => object.alarm());
  expect(await runOf(flow, id)).toMatchObject({ state: "failed", error: { code: "EngineError" } });
  expect((await answer).status).toBe(200);
  await gate.release();
});
