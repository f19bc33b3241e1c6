import { expect, test } from "vitest";

import { RUN_DEADLINE_MS } from "#domain/workflows.ts";

import { newReceiver } from "../support/webhook.ts";
import {
  code,
  deployWorkflow,
  runOnce,
  runsOf,
  triggerHttp,
  withEcho,
} from "../support/workflow.ts";

test("later steps see $.export, $summary and the return value", async () => {
  const flow = await withEcho(
    `$.export("n", 1); $.export("n", { a: [2] }); $.export("$summary", "Fine"); $.export("gone", undefined); return "r"`,
  );
  expect((await runOnce(flow)).steps[1].exports.$return_value).toEqual({
    n: { a: [2] },
    $summary: "Fine",
    gone: null,
    $return_value: "r",
  });
});

test("expressions are evaluated in the isolate, and a single expression keeps its type", async () => {
  const flow = await deployWorkflow({
    steps: [
      {
        name: "make",
        component_code: code(`$.export("list", [1, 2]); return { deep: { y: true } }`),
      },
      {
        name: "take",
        component_code: `export default {
          props: { x: "integer", all: "any", text: "string", deep: "object", list: "integer[]", plain: "string" },
          run() { const { x, all, text, deep, list, plain } = this; return { x, all, text, deep, list, plain } },
        }`,
        props: {
          x: "{{steps.trigger.event.body.x}}",
          all: "{{steps.make.$return_value}}",
          text: "x is {{steps.trigger.event.body.x}}, {{steps.make.list}} and {{steps.make.gone}}",
          deep: { y: "{{steps.make.$return_value.deep.y}}", z: ["{{ 1 + 1 }}"] },
          list: "{{steps.make.list.map((n) => n * 2)}}",
          plain: "{ {no} }",
        },
      },
    ],
  });
  expect((await runOnce(flow, { x: 5 })).steps[1].exports.$return_value).toEqual({
    x: 5,
    all: { deep: { y: true } },
    text: "x is 5, [1,2] and ",
    deep: { y: true, z: [2] },
    list: [2, 4],
    plain: "{ {no} }",
  });
});

test("an error in an expression names the step and the prop", async () => {
  const flow = await deployWorkflow({
    steps: [
      {
        name: "take",
        component_code: `export default { props: { x: "string" }, run() { return this.x } }`,
        props: { x: "{{steps.nobody.$return_value}}" },
      },
    ],
  });
  expect(await runOnce(flow)).toMatchObject({
    state: "failed",
    error: {
      code: "ExpressionError",
      message: expect.stringMatching(/^Step "take", prop "x": Cannot read properties of undefined/),
    },
  });
});

test("$.respond responds at the end of the run with the first response", async () => {
  const { url } = await deployWorkflow({
    steps: [
      {
        name: "first",
        component_code: code(
          `$.respond({ status: 202, headers: { "x-a": "b" }, body: Buffer.from("bytes") }); $.respond({ status: 500 })`,
        ),
      },
      { name: "second", component_code: code("$.respond({ status: 400 })") },
    ],
  });
  const answer = await triggerHttp(url);
  expect(answer).toMatchObject({ status: 202, text: "bytes" });
  expect(answer.headers.get("x-a")).toBe("b");
});

test("$.respond with immediate responds during the run", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const flow = await deployWorkflow({
    steps: [
      {
        name: "first",
        component_code: code(
          `await $.respond({ status: 201, body: { now: true }, immediate: true }); await fetch("${gate.url}", { method: "POST" })`,
        ),
      },
    ],
  });
  expect(await triggerHttp(flow.url)).toMatchObject({ status: 201, text: '{"now":true}' });
  expect(await runsOf(flow)).toMatchObject([{ state: "running" }]);
  await gate.release();
  await expect.poll(() => runsOf(flow)).toMatchObject([{ state: "succeeded" }]);
});

test("$.flow.exit ends the whole workflow after the step", async () => {
  const flow = await withEcho(`return $.flow.exit("enough")`);
  expect(await runOnce(flow)).toMatchObject({
    state: "succeeded",
    exit_reason: "enough",
    steps: [{ name: "first" }],
  });
});

test("truncates a long reason of $.flow.exit", async () => {
  const flow = await withEcho(`return $.flow.exit("x".repeat(5000))`);
  const { state, exit_reason: reason } = await runOnce(flow);
  expect([state, reason]).toEqual(["succeeded", "x".repeat(4096)]);
});

test("$.context has the context of the trigger and of the run", async () => {
  const flow = await deployWorkflow({
    steps: [{ name: "look", component_code: code("return [$.context, steps.trigger.context]") }],
  });
  const run = await runOnce(flow);
  const trigger = {
    id: run.id,
    ts: new Date(run.queued_at_ms).toISOString(),
    workflow_id: flow.id,
    deployment_id: flow.workflow.deployment_id,
    owner_id: flow.user.user.id,
    source_type: "http",
    emitter_id: null,
    workflow_name: flow.workflow.name,
    trace_id: run.id,
    replay: false,
    verified: false,
    test: false,
    platform_version: "1",
  };
  const [context, ofTrigger] = run.steps[0].exports.$return_value;
  expect(ofTrigger).toEqual(trigger);
  expect(context).toEqual({
    ...trigger,
    deadline: expect.any(Number),
    JIT: false,
    run: { runs: 1 },
  });
  // Five minutes after its beginning.
  const beganMs = context.deadline - RUN_DEADLINE_MS;
  const times = [run.queued_at_ms, beganMs, run.steps[0].started_at_ms];
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test("$.flow.refreshTimeout may be called, and an unused file store is no error", async () => {
  const flow = await withEcho(
    `await $.flow.refreshTimeout(); return [await $.files, JSON.stringify($.files)]`,
  );
  expect((await runOnce(flow)).steps[1].exports.$return_value.$return_value).toEqual([{}, "{}"]);
});

test.for<[string, string]>([
  [`$.flow.delay(-1)`, "$.flow.delay"],
  [`$.flow.delay(1e12)`, "$.flow.delay"],
  [`await $.flow.trigger("nobody")`, "$.flow.trigger"],
  [`await $.send.http({ url: "ftp://x" })`, "$.send.http"],
  [`await $.send.http({})`, "$.send.http: url is required"],
  [`await $.send.http("http://a.example")`, "$.send.http: an object is required"],
  [`await $.send.http({ url: "http://a.example", method: "A B" })`, "$.send.http: method must be"],
  [`await $.send.http({ url: "http://a.example", auth: "x" })`, "auth must be an object"],
  [`await $.send.http({ url: "http://a.example", auth: { username: 1 } })`, "must be text"],
  [`await $.send.email({ subject: "a", to: ["b"] })`, "$.send.email: to must be text"],
  [`await $.send.email({})`, "$.send.email: subject is required"],
  [`await $.send.s3({ bucket: "b" })`, "$.send.s3: accessKeyId is required"],
  [`await $.send.s3({ bucket: "b", accessKeyId: "a" })`, "$.send.s3: secretAccessKey is required"],
  [
    `await $.send.sms({ to: "+1" })`,
    "$.send.sms is not offered here: use the client of a provider",
  ],
  [`await $.send.sql({})`, "$.send.sql is not offered here"],
  [`await $.send.snowflake({})`, "$.send.snowflake is not offered here"],
  [`await $.files.open("a.txt").toFile("/tmp/a")`, "$.files.open is not offered here: keep the"],
  [`await $.send.emit({ raw_event: 1, event_name: "$errors" })`, "$.send.emit"],
  [`await $.send.emit(1, "$logs")`, "$.send.emit: the channel name"],
  [`await $.send.emit(() => 1)`, "$.send.emit: an event is required"],
  [`$.respond({ status: 1000 })`, "status must be"],
])("%s fails the step", async ([body, message]) => {
  const flow = await withEcho(body);
  expect(await runOnce(flow)).toMatchObject({
    state: "failed",
    error: { message: expect.stringContaining(message) },
    steps: [{}],
  });
});
