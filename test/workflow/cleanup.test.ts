// @suites release

import { runDurableObjectAlarm } from "cloudflare:test";
import { expect, test } from "vitest";

import { later } from "../support/clock.ts";
import { leaveInstances, undeletedInstances } from "../support/workflow-tables.ts";
import { code, deployWorkflow, engineOf, ended, runOf, runOnce } from "../support/workflow.ts";

type Flow = Awaited<ReturnType<typeof deployWorkflow>>;

/** The time for which an instance is left alone after the end of its run. */
const SETTLING_MS = 1000;

/** Whether the engine has an instance for a run. */
async function isKept(workflowId: string, runId: string): Promise<boolean> {
  try {
    await engineOf(workflowId).get(`${workflowId}-${runId}`);
    return true;
  } catch {
    return false;
  }
}

/** Run the alarm of a workflow once its runs have ended in the engine, too, and have settled. */
async function cleanUp({ id, stub }: Flow, ...runs: { id: string }[]): Promise<void> {
  for (const run of runs) {
    const instance = await engineOf(id).get(`${id}-${run.id}`);
    await expect.poll(() => instance.status()).toMatchObject({ status: "complete" });
  }
  await later(SETTLING_MS, () => runDurableObjectAlarm(stub));
}

test("the engine's instance of an ended run is deleted, and the workflow's record is not", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: code("return 1") }] });
  const run = await runOnce(flow);
  expect(await isKept(flow.id, run.id)).toBe(true);

  await cleanUp(flow, run);
  expect(await isKept(flow.id, run.id)).toBe(false);
  expect(await runOf(flow, run.id)).toMatchObject({ state: "succeeded", steps: [{ name: "one" }] });
  expect(await undeletedInstances(flow.stub)).toEqual([]);
});

test("the engine keeps the instance of a paused run", async () => {
  const flow = await deployWorkflow({
    steps: [
      { name: "one", component_code: code("$.flow.suspend(60_000)") },
      { name: "two", component_code: code("return 2") },
    ],
  });
  const run = await runOnce(flow);
  expect(run.state).toBe("waiting");
  await cleanUp(flow);
  expect(await isKept(flow.id, run.id)).toBe(true);
});

test("one alarm deletes more runs than the engine deletes in one call", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: code("return 1") }] });
  const run = await runOnce(flow);
  await leaveInstances(flow.stub, 150);
  await cleanUp(flow, run);
  expect(await isKept(flow.id, run.id)).toBe(false);
  // An instance that the engine does not have counts as deleted.
  expect(await undeletedInstances(flow.stub)).toEqual([]);
});

test("a deleted workflow leaves no instances", async () => {
  const flow = await deployWorkflow({
    steps: [{ name: "one", component_code: code("if ($.context) $.flow.suspend(60_000)") }],
  });
  const quick = await deployWorkflow({
    owner: flow.user,
    steps: [{ name: "one", component_code: code("return 1") }],
  });
  const paused = await runOnce(flow);
  const run = await runOnce(quick);
  await expect.poll(ended(quick)).toMatchObject({ state: "succeeded" });

  await flow.stub.remove();
  await quick.stub.remove();
  expect(await isKept(flow.id, paused.id)).toBe(false);
  expect(await isKept(quick.id, run.id)).toBe(false);
});
