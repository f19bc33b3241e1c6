import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { Orchestrator } from "#durable-objects/workflow/orchestrator.ts";

import { signUp } from "../support/client.ts";
import { send } from "../support/deploy.ts";
import {
  code,
  deployWorkflow,
  ended,
  runOf,
  runOnce,
  runsOf,
  triggerHttp,
  withEcho,
} from "../support/workflow.ts";

/** Trigger a workflow that pauses, and wait for its pause. */
async function untilWaiting(flow: Awaited<ReturnType<typeof deployWorkflow>>) {
  await triggerHttp(flow.url);
  await expect.poll(() => runsOf(flow)).toMatchObject([{ state: "waiting" }]);
  const [{ id }] = await runsOf(flow);
  return runOf(flow, id);
}

test("$.flow.delay resumes the run later", async () => {
  const flow = await withEcho(`$.flow.delay(400)`);
  await triggerHttp(flow.url);
  const steps = [{ name: "first", pause: "delay" }, {}];
  await expect.poll(ended(flow)).toMatchObject({ state: "succeeded", steps });
});

test("$.flow.suspend waits for a request to its resume_url, which the next steps see", async () => {
  const flow = await withEcho(`return $.flow.suspend()`);
  const run = await untilWaiting(flow);
  const { resume_url: url } = run.steps[0].exports.$return_value;
  const body = JSON.stringify({ ok: "yes" });
  const headers = { "content-type": "application/json" };
  expect((await send(`${url.slice(0, -3)}abc`, { body, headers })).status).toBe(404);
  expect((await send(url, { method: "DELETE" })).status).toBe(405);
  const resumed = await send(url, { body, headers });
  expect(resumed.status).toBe(200);
  expect(resumed.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  await expect.poll(ended(flow)).toMatchObject({
    state: "succeeded",
    steps: [{}, { exports: { $return_value: { $resume_data: { body: { ok: "yes" } } } } }],
  });
  expect((await send(url, { body, headers })).status).toBe(410);
});

test("cancel_url and an expired suspension cancel the run", async () => {
  const flow = await withEcho(`return $.flow.suspend(60000)`);
  const { steps } = await untilWaiting(flow);
  expect((await send(steps[0].exports.$return_value.cancel_url, { method: "GET" })).status).toBe(
    200,
  );
  await expect.poll(ended(flow)).toMatchObject({ state: "cancelled", error: null, steps: [{}] });

  const lonely = await withEcho(`$.flow.suspend(200)`);
  await triggerHttp(lonely.url);
  await expect.poll(ended(lonely)).toMatchObject({ state: "cancelled", steps: [{}] });
});

test("only the owner resumes and cancels a waiting run", async () => {
  const flow = await withEcho(`return $.flow.suspend(60000)`);
  const run = await untilWaiting(flow);
  const path = `/workflows/${flow.id}/runs/${run.id}`;
  const eve = await signUp();
  expect((await eve.post(`${path}/resume`)).status).toBe(404);
  expect((await flow.user.post(`/workflows/${flow.id}/runs/none/cancel`)).status).toBe(404);
  expect((await flow.user.post(`${path}/resume`, { data: { ok: "yes" } })).status).toBe(202);
  await expect.poll(ended(flow)).toMatchObject({
    state: "succeeded",
    steps: [{}, { exports: { $return_value: { $resume_data: { body: { ok: "yes" } } } } }],
  });
  for (const action of ["resume", "cancel"])
    expect((await flow.user.post(`${path}/${action}`)).status).toBe(409);

  const other = await withEcho(`return $.flow.suspend(60000)`);
  const waiting = await untilWaiting(other);
  expect((await other.user.post(`/workflows/${other.id}/runs/${waiting.id}/cancel`)).status).toBe(
    202,
  );
  await expect.poll(ended(other)).toMatchObject({ state: "cancelled", error: null, steps: [{}] });
});

test("a run may be resumed before its step has ended", async () => {
  const flow = await withEcho(
    `const { resume_url } = $.flow.suspend(60000); await fetch(resume_url, { method: "POST", body: "early" })`,
  );
  await triggerHttp(flow.url);
  await expect.poll(ended(flow)).toMatchObject({
    state: "succeeded",
    steps: [{}, { exports: { $return_value: { $resume_data: { body: "early" } } } }],
  });
});

test("$.flow.rerun runs the step again with its context, up to its limit", async () => {
  const flow = await withEcho(
    `const { run } = $.context; $.export("run", run); $.flow.rerun(50, { seen: run.runs }, 2)`,
  );
  await triggerHttp(flow.url);
  await expect.poll(ended(flow)).toMatchObject({
    state: "succeeded",
    steps: [
      { name: "first", pause: "rerun", exports: { run: { runs: 1 } } },
      { name: "first", pause: "rerun", exports: { run: { runs: 2, context: { seen: 1 } } } },
      { name: "first", pause: null, exports: { run: { runs: 3, context: { seen: 2 } } } },
      { name: "echo" },
    ],
  });
});

/** The timeout of the engine's wait for the end of a pause of so many milliseconds. */
async function engineWaits(ms: number): Promise<number[]> {
  const [deployment, waits] = [{ steps: [{ name: "first" }, { name: "second" }] }, [] as number[]];
  const outcome = { exports: "{}", failure: null, parcels: [], ends: null };
  const orchestrator = new Orchestrator({
    plan: { deployment, event: "{}", context: {} },
    engine: {
      do: (_: string, work: (context: { attempt: number }) => unknown) => work({ attempt: 1 }),
      waitForEvent: async (_: string, { timeout }: { timeout: number }) => {
        waits.push(timeout);
        throw new Error("Execution timed out");
      },
    },
    memory: { record: async () => {}, wake: async () => {}, end: async () => {} },
    invoker: {
      execute: async ({ number }: { number: number }) => ({
        verdict: { ...outcome, pause: number === 1 ? { kind: "delay", ms } : null },
      }),
    },
    sender: {},
  } as never);
  await orchestrator.play();
  return waits;
}

test.for([
  ["at least a second, because of the engine", 1, 1000],
  ["as long as its step demands", 400_000, 400_000],
] as const)("a pause lasts %s", async ([, ms, waitMs]) => {
  expect(await engineWaits(ms)).toEqual([waitMs]);
});

test("rejects a request that is too large for the engine, and the pause continues", async () => {
  const flow = await withEcho(
    `const { run } = $.context; if (run.runs === 1) return $.flow.rerun(60000); return 1`,
  );
  const { steps } = await untilWaiting(flow);
  const url = steps[0].exports.$return_value.resume_url;
  const refused = await send(url, { body: '"'.repeat(500 * 1024) });
  expect([refused.status, await refused.json()]).toMatchObject([413, { code: "too_large" }]);
  expect((await send(url, { body: "small" })).status).toBe(200);
  await expect.poll(ended(flow)).toMatchObject({ state: "succeeded" });
});

test("$.flow.rerun gets the request that ended its wait", async () => {
  const flow = await withEcho(
    `const { run } = $.context; if (run.runs === 1) return $.flow.rerun(60000); return run.callback_request.body`,
  );
  const { steps } = await untilWaiting(flow);
  await send(steps[0].exports.$return_value.resume_url, { body: "called back" });
  await expect
    .poll(ended(flow))
    .toMatchObject({ steps: [{}, { exports: { $return_value: "called back" } }, {}] });
});

test("$.flow.trigger runs another workflow of the same owner only", async () => {
  const other = await deployWorkflow({
    trigger: { type: "none" },
    steps: [{ name: "keep", component_code: code("return steps.trigger.event") }],
  });
  const body = `return $.flow.trigger("${other.id}", { n: 1 })`;
  const strangers = await withEcho(body);
  expect(await runOnce(strangers)).toMatchObject({
    state: "failed",
    error: { message: expect.stringContaining("no active workflow") },
  });
  const flow = await deployWorkflow({
    owner: other.user,
    steps: [{ name: "call", component_code: code(body) }],
  });
  const { steps } = await runOnce(flow);
  expect(steps[0].exports.$return_value).toEqual({ workflowId: other.id });
  await expect.poll(ended(other)).toMatchObject({
    source_type: "workflow",
    emitter_id: flow.id,
    event: { n: 1 },
    state: "succeeded",
  });
});

test("a paused run resumes after its workflow's object was evicted", async () => {
  const flow = await withEcho(`$.flow.delay(4000)`);
  await untilWaiting(flow);
  await evictDurableObject(flow.stub);
  await expect.poll(ended(flow)).toMatchObject({ state: "succeeded", steps: [{}, {}] });
});
