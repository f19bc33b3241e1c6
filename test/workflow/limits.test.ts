import { expect, test } from "vitest";

import { positionAt } from "#domain/event-ids.ts";

import { send } from "../support/deploy.ts";
import { code, deployWorkflow, runOnce } from "../support/workflow.ts";

const MEGABYTE = 1_000_000;

function steps(...bodies: string[]) {
  return bodies.map((body, index) => ({ name: `s${index}`, component_code: code(body) }));
}

test("limits exports and return values of a step, with an error that names the excess", async () => {
  const fits = await deployWorkflow({ steps: steps(`return "x".repeat(${MEGABYTE - 100})`, "") });
  expect(await runOnce(fits)).toMatchObject({ state: "succeeded" });

  const returns = await deployWorkflow({ steps: steps(`return "x".repeat(${MEGABYTE})`) });
  expect(await runOnce(returns)).toMatchObject({
    state: "failed",
    error: {
      code: "RangeError",
      message: expect.stringMatching(
        /^The return value: .* would have 10000\d\d bytes of JSON; 1000000/,
      ),
    },
  });

  const exports = await deployWorkflow({
    steps: steps(
      `$.export("a", 1); for (const n of [1, 2, 3]) $.export("n" + n, "x".repeat(400000))`,
    ),
  });
  expect(await runOnce(exports)).toMatchObject({
    error: { message: expect.stringContaining('$.export("n3")') },
    steps: [{ exports: { a: 1 } }],
  });
});

test("db writes and messages of a step count, too", async () => {
  const keeps = await deployWorkflow({ steps: steps(`$.flow.rerun(50, "x".repeat(1030000))`) });
  expect(await runOnce(keeps)).toMatchObject({
    state: "failed",
    error: {
      code: "RangeError",
      message: expect.stringMatching(/^The step takes 1030\d{3} bytes .* 1020000 are allowed$/),
    },
  });
});

test("a rerun context of more than a megabyte fails the step", async () => {
  const flow = await deployWorkflow({ steps: steps(`$.flow.rerun(50, "x".repeat(1200000))`) });
  expect(await runOnce(flow)).toMatchObject({
    state: "failed",
    error: {
      code: "RangeError",
      message: "$.flow.rerun: the context may have at most 1 MB of JSON",
    },
  });
});

/** A step whose code patches the harness's outcome from its second run on. */
const forging = (change: string) => `const name = "./harness.worker" + ".js";
  let isForged = false;
  export default { async run() {
    if (isForged) return;
    isForged = true;
    const { default: { prototype } } = await import(name);
    const { invoke } = prototype;
    prototype.invoke = async function (...args) {
      const outcome = await invoke.apply(this, args);
      ${change}
      return outcome;
    };
  } };`;

test.for([
  ["a reason to exit", `outcome.step.exit = "x".repeat(5000);`, "a reason to exit that is longer"],
  [
    "a context to rerun with",
    `outcome.step.pause = { kind: "rerun", ms: 50, context: JSON.stringify("x".repeat(1.1e6)) };`,
    "a context to rerun with that is larger than 1 MB",
  ],
] as const)("does not commit %s that the isolate made too large", async ([, change, why]) => {
  const flow = await deployWorkflow({ steps: [{ name: "s0", component_code: forging(change) }] });
  await runOnce(flow);
  expect(await runOnce(flow)).toMatchObject({
    state: "failed",
    exit_reason: null,
    error: { code: "InvalidOutcome", message: expect.stringContaining(why) },
  });
});

test("limits the exports of all steps of a run together", async () => {
  const body = `return "x".repeat(${MEGABYTE - 100})`;
  const flow = await deployWorkflow({ steps: steps(...Array.from({ length: 9 }, () => body)) });
  const run = await runOnce(flow);
  expect(run).toMatchObject({
    state: "failed",
    error: { message: expect.stringContaining("allowed") },
  });
  expect(run.steps).toHaveLength(9);
  expect(run.steps[7].state).toBe("succeeded");
});

test("a failed step is not retried", async () => {
  const flow = await deployWorkflow({ steps: steps(`throw new TypeError("no")`, "return 1") });
  expect(await runOnce(flow)).toMatchObject({
    state: "failed",
    error: { code: "TypeError", message: "no", stack: expect.stringContaining("component.js:") },
    steps: [{ state: "failed" }],
  });
});

test("a step is retried if configured to", async () => {
  const [first] = steps(
    `if (Math.random() > 2) return; globalThis.tries = (globalThis.tries ?? 0) + 1; if (globalThis.tries < 3) throw new Error("not yet"); return globalThis.tries`,
  );
  const flow = await deployWorkflow({
    steps: [{ name: "s0", ...first, retries: { limit: 5, delay_seconds: 0.05 } }],
  });
  expect(await runOnce(flow)).toMatchObject({
    state: "succeeded",
    error: null,
    steps: [{ state: "failed" }, { state: "failed" }, { exports: { $return_value: 3 } }],
  });
  const { body } = await flow.user.get(`/workflows/${flow.id}/$errors/event_summaries`);
  expect(body.data).toEqual([]);
});

test("exhausted retries fail the run with the last error", async () => {
  const [first] = steps(`throw new Error("never")`);
  const flow = await deployWorkflow({ steps: [{ name: "s0", ...first, retries: { limit: 2 } }] });
  const run = await runOnce(flow);
  expect(run).toMatchObject({ state: "failed", error: { message: "never" } });
  expect(run.steps).toHaveLength(3);
});

test("an error is recorded with its event and context", async () => {
  const flow = await deployWorkflow({
    steps: steps("return 1", `throw new RangeError("too far")`),
  });
  const run = await runOnce(flow, { n: 1 });
  const { body } = await flow.user.get(
    `/workflows/${flow.id}/$errors/event_summaries?expand=event`,
  );
  expect(body.data).toEqual([
    {
      id: expect.stringMatching(/^\d+-\d+$/),
      indexed_at_ms: expect.any(Number),
      event: {
        original_event: run.event,
        original_context: {
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
        },
        error: {
          code: "RangeError",
          message: "too far",
          cellId: expect.stringMatching(/^c_/),
          ts: expect.stringMatching(/Z$/),
          stack: expect.stringContaining("component.js:1:"),
          step: "s1",
        },
      },
      metadata: { emit_id: expect.any(String), name: "$errors", emitter_id: flow.id },
    },
  ]);
});

test("listeners of p_* and of auto-subscriptions receive errors", async () => {
  const listener = await deployWorkflow({
    trigger: { type: "none" },
    steps: steps("return steps.trigger.event.error.code"),
  });
  const { user } = listener;
  const other = await deployWorkflow({
    owner: user,
    trigger: { type: "none" },
    steps: steps("return steps.trigger.event.error.code"),
  });
  await user.post("/subscriptions", {
    emitter_id: "p_*",
    listener_id: listener.id,
    event_name: "$errors",
  });
  await user.post("/auto_subscriptions", { event_name: "$errors", listener_id: other.id });
  const failing = await deployWorkflow({ owner: user, steps: steps(`throw new TypeError("x")`) });
  await runOnce(failing);
  for (const flow of [listener, other])
    await expect
      .poll(async () => (await user.get(`/workflows/${flow.id}/runs`)).body.data)
      .toMatchObject([{ state: "succeeded", source_type: "workflow", emitter_id: failing.id }]);
});

test("workflows that trigger each other stop at the budget of their trigger", async () => {
  const flow = await deployWorkflow({
    steps: steps(`
      for (const n of [1, 2]) await $.flow.trigger(steps.trigger.context.workflow_id, n);`),
  });
  await send(flow.url, { headers: { "x-wellspring-budget": "40" } });
  const runs = async () => (await flow.user.get(`/workflows/${flow.id}/runs?limit=100`)).body;
  const open = async () =>
    (await runs()).data.filter(({ state }: { state: string }) => /queued|running/.test(state))
      .length;
  await expect.poll(async () => (await runs()).data.length).toBeGreaterThan(5);
  await expect.poll(open, { timeout: 20_000 }).toBe(0);
  const { data } = await runs();
  expect(data.length).toBeLessThanOrEqual(40);
  expect(JSON.stringify(data)).toContain(
    "$.flow.trigger: its trigger has reached the maximum of 10000 runs",
  );
});

test("an event without a budget is parked as an error", async () => {
  const flow = await deployWorkflow({ trigger: { type: "none" }, steps: steps("return 1") });
  const position = positionAt(Date.now());
  const delivery = { position, channel: "", emitId: "last", payload: "1", eventId: "0-1" };
  await flow.stub.receive([{ ...delivery, emitterId: "dc_x", hops: 1, budget: 0 }]);
  const { body } = await flow.user.get(`/workflows/${flow.id}/runs/last`);
  expect(body.data).toMatchObject({ state: "failed", error: { code: "TooManyRuns" }, steps: [] });
});

test("an event at the hop limit is dropped with an error", async () => {
  const flow = await deployWorkflow({ trigger: { type: "none" }, steps: steps("return 1") });
  const position = positionAt(Date.now());
  const delivery = { position, channel: "", emitId: "spent", payload: "1", eventId: "0-1" };
  await flow.stub.receive([{ ...delivery, emitterId: "dc_x", hops: 16 }]);
  const { body } = await flow.user.get(`/workflows/${flow.id}/runs/spent`);
  expect(body.data).toMatchObject({ state: "failed", error: { code: "TooManyHops" }, steps: [] });

  const http = await deployWorkflow({ steps: steps("return 1") });
  const looping = await send(http.url, { headers: { "x-wellspring-hops": "16" } });
  expect(looping.status).toBe(508);
});
