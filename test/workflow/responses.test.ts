import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { expect, onTestFinished, test, vi } from "vitest";

import { connect } from "#db/client.ts";
import { workflowPlans } from "#db/schema/workflow-versions.ts";
import { Endpoint } from "#durable-objects/workflow/endpoint.ts";
import { PendingResponses } from "#durable-objects/workflow/responses.ts";

import { operator } from "../support/client.ts";
import { newReceiver } from "../support/webhook.ts";
import { forgetNamesRespond } from "../support/workflow-tables.ts";
import { code, deployWorkflow, ended, runsOf, triggerHttp } from "../support/workflow.ts";

/** Deploy a workflow with a step for each body. */
function deployBodies(...bodies: string[]) {
  return deployWorkflow({
    steps: bodies.map((body, n) => ({ name: `step_${n}`, component_code: code(body) })),
  });
}

const RESPONDS_TO_ID = "if (steps.trigger.event.body.id) $.respond({ status: 201 });";
const NO_RESPONSE = { error: "No $.respond called in workflow", code: "no_response" };

test("callers of a workflow without `respond` get 200 before the run, which is stored by then", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const flow = await deployBodies(
    `await fetch("${gate.url}", { method: "POST" }); throw new Error("I never respond")`,
  );
  const { status, text } = await triggerHttp(flow.url);
  await evictDurableObject(flow.stub);
  const [run] = await runsOf(flow);
  expect([status, JSON.parse(text)]).toEqual([200, { ok: true, run_id: run.id }]);
  expect(run.ended_at_ms).toBe(null);
  await gate.release();
  await expect.poll(ended(flow)).toMatchObject({ id: run.id, state: "failed" });
});

test.for([
  ["a step that succeeds", RESPONDS_TO_ID, "succeeded"],
  ["a step that fails", `${RESPONDS_TO_ID} throw new Error("no")`, "failed"],
  ["a step that ends the run", `$.flow.exit("enough"); ${RESPONDS_TO_ID}`, "succeeded"],
  [
    "a step that names it as a string",
    `const how = "respond"; if (steps.trigger.event.body.id) $[how]()`,
    "succeeded",
  ],
] as const)(
  "callers without the response that a step could give get 400: %s",
  async ([, body, state]) => {
    const flow = await deployBodies("return 1", body);
    const { status, text } = await triggerHttp(flow.url);
    expect([status, JSON.parse(text)]).toEqual([400, NO_RESPONSE]);
    expect(await runsOf(flow)).toMatchObject([{ state }]);
  },
);

test("the response of a step counts although a later step fails", async () => {
  const flow = await deployBodies("$.respond({ status: 202 })", `throw new Error("no")`);
  expect(await triggerHttp(flow.url)).toMatchObject({ status: 202 });
  expect(await runsOf(flow)).toMatchObject([{ state: "failed" }]);
});

test("a run that responded before its pause responds then, another after it", async () => {
  const early = await deployBodies("$.respond({ status: 202 }); $.flow.suspend(60_000)");
  expect(await triggerHttp(early.url)).toMatchObject({ status: 202 });
  expect(await runsOf(early)).toMatchObject([{ state: "waiting" }]);

  for (const [action, status] of [
    ["resume", 203],
    ["cancel", 400],
  ] as const) {
    const flow = await deployBodies("$.flow.suspend(60_000)", "$.respond({ status: 203 })");
    const response = triggerHttp(flow.url);
    await expect.poll(() => runsOf(flow)).toMatchObject([{ state: "waiting" }]);
    const [{ id }] = await runsOf(flow);
    await flow.user.post(`/workflows/${flow.id}/runs/${id}/${action}`);
    expect(await response).toMatchObject({ status });
  }
});

test("a caller whose workflow is deleted meanwhile gets 400", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const flow = await deployBodies(
    `await fetch("${gate.url}", { method: "POST" }); $.respond({ status: 201 })`,
  );
  const response = triggerHttp(flow.url);
  await expect.poll(gate.received).toHaveLength(1);
  await operator.delete(`/workflows/${flow.id}`);
  expect(await response).toMatchObject({ status: 400 });
  await gate.release();
});

test("a caller without a response after 30 s gets 504, and the run continues", async () => {
  const later = globalThis.setTimeout;
  const clock = vi.spyOn(globalThis, "setTimeout");
  clock.mockImplementation(((work: () => void, ms: number) =>
    later(work, ms === 30_000 ? 0 : ms)) as typeof setTimeout);
  onTestFinished(() => clock.mockRestore());
  const gate = await newReceiver({ status: 200, isHeld: true });
  const flow = await deployBodies(
    `await fetch("${gate.url}", { method: "POST" }); $.respond({ status: 201 })`,
  );
  const { status, text } = await triggerHttp(flow.url);
  expect([status, JSON.parse(text)]).toMatchObject([504, { code: "upstream_timeout" }]);
  await gate.release();
  await expect.poll(ended(flow)).toMatchObject({ state: "succeeded" });
});

test("a response counts that a run gave before its deadline, and its first response", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const responses = new PendingResponses();
  const [early, none] = ["early", "none"].map((run) => responses.wait(run, 100));
  for (const status of [201, 202]) responses.offer("early", { status, headers: {}, body: null });
  responses.settle("none");
  await vi.advanceTimersByTimeAsync(100);
  expect([await early, await none]).toMatchObject([{ status: 201 }, "late"]);
});

test("steps that an older release deployed count as naming `respond` until they are deployed again", async () => {
  const steps = [{ name: "one", component_code: code("return 1") }];
  const flow = await deployWorkflow({ steps });
  await forgetNamesRespond(flow.stub);
  await connect(env.DB)
    .update(workflowPlans)
    .set({ steps: sql`json_remove(${workflowPlans.steps}, '$[0].namesRespond')` })
    .where(eq(workflowPlans.workflowId, flow.id));
  await evictDurableObject(flow.stub);
  expect(await triggerHttp(flow.url)).toMatchObject({ status: 400 });

  const { body } = await operator.put(`/workflows/${flow.id}`, { steps });
  expect(body.data.version).toBe(2);
  expect(await triggerHttp(flow.url)).toMatchObject({ status: 200 });
});

test("an event of a workflow that is deactivated while quotas are read is refused, not accepted", async () => {
  const state = { isActive: true };
  const committer = { begin: vi.fn<() => void>() };
  const endpoint = new Endpoint({
    deployments: {
      isActive: () => state.isActive,
      current: () => ({ endpointKey: "k", steps: [] }),
    },
    runs: { load: () => 0, isFull: () => false },
    meter: {
      isLimited: () => true,
      refresh: async () => void (state.isActive = false),
      exhausted: () => undefined,
    },
    committer,
    responses: new PendingResponses(),
  } as never);
  const incoming = { method: "POST", pathname: "/e/k", event: "{}", hops: 0, budget: 1 };
  expect(await endpoint.handle(incoming as never)).toMatchObject({ status: 404 });
  expect(committer.begin).not.toHaveBeenCalled();
});
