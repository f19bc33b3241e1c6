// @suites release

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import {
  code,
  deployWorkflow,
  engineOf,
  ended,
  runOf,
  runOnce,
  runsOf,
  triggerHttp,
} from "../support/workflow.ts";

/** Longer than an instance needs to settle after the end of its run. */
const SETTLED_MS = 1100;

/** Whether the engine has an instance for a run. */
async function isKept(workflowId: string, runId: string): Promise<boolean> {
  try {
    await engineOf(workflowId).get(`${workflowId}-${runId}`);
    return true;
  } catch {
    return false;
  }
}

function settled(): Promise<void> {
  return scheduler.wait(SETTLED_MS);
}

test("the engine's instance of an ended run is deleted, and the workflow's record is not", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: code("return 1") }] });
  const run = await runOnce(flow);
  expect(await isKept(flow.id, run.id)).toBe(true);

  await settled();
  await runDurableObjectAlarm(flow.stub);
  expect(await isKept(flow.id, run.id)).toBe(false);
  expect(await runOf(flow, run.id)).toMatchObject({ state: "succeeded", steps: [{ name: "one" }] });
  expect(await waiting(flow.stub)).toEqual([]);
});

test("the engine keeps the instance of a paused run", async () => {
  const flow = await deployWorkflow({
    steps: [
      { name: "one", component_code: code("$.flow.suspend(60_000)") },
      { name: "two", component_code: code("return 2") },
    ],
  });
  await triggerHttp(flow.url);
  const [run] = await runsOf(flow);
  expect(run.state).toBe("waiting");
  await settled();
  await runDurableObjectAlarm(flow.stub);
  expect(await isKept(flow.id, run.id)).toBe(true);
});

test("one alarm deletes more runs than the engine deletes in one call", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: code("return 1") }] });
  const run = await runOnce(flow);
  await runInDurableObject(flow.stub, (_, { storage }) => {
    for (let n = 0; n < 150; n += 1)
      storage.sql.exec(
        "INSERT INTO ended_instances (due_ms, run_id) VALUES (?, ?)",
        n,
        `gone-${n}`,
      );
  });
  await settled();
  await runDurableObjectAlarm(flow.stub);
  expect(await isKept(flow.id, run.id)).toBe(false);
  // An instance that the engine does not have counts as deleted.
  expect(await waiting(flow.stub)).toEqual([]);
});

test("a deleted workflow leaves no instances", async () => {
  const flow = await deployWorkflow({
    steps: [{ name: "one", component_code: code("if ($.context) $.flow.suspend(60_000)") }],
  });
  const quick = await deployWorkflow({
    owner: flow.user,
    steps: [{ name: "one", component_code: code("return 1") }],
  });
  await triggerHttp(flow.url);
  const [paused] = await runsOf(flow);
  const run = await runOnce(quick);
  await expect.poll(ended(quick)).toMatchObject({ state: "succeeded" });

  await flow.stub.remove();
  await quick.stub.remove();
  expect(await isKept(flow.id, paused.id)).toBe(false);
  expect(await isKept(quick.id, run.id)).toBe(false);
});

/** The runs with an instance that is not deleted yet. */
function waiting(stub: DurableObjectStub) {
  return runInDurableObject(stub, (_, { storage }) =>
    storage.sql.exec("SELECT run_id FROM ended_instances").toArray(),
  );
}
