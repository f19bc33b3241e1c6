// @suites release

import { expect, test } from "vitest";

import { lengthenRun } from "../support/workflow-tables.ts";
import { code, deployWorkflow, runOnce, runsOf } from "../support/workflow.ts";

/** More executions than one RPC may carry: in an RPC, the log of each takes 1.6 MB. */
const COUNT = 25;
const LINE = { level: "log", message: "€".repeat(4000), atMs: 1 };
const LOGS = JSON.stringify(Array.from({ length: 200 }, () => LINE));

/** A run with `COUNT` executed steps, each with a log of the maximum size. */
async function largeRun() {
  const steps = [
    { name: "one", component_code: code("return 1") },
    { name: "two", component_code: code("return steps.one") },
  ];
  const flow = await deployWorkflow({ steps });
  const run = await runOnce(flow);
  await lengthenRun(flow.stub, COUNT, LOGS);
  return { flow, path: `/workflows/${flow.id}/runs/${run.id}` };
}

test("reads a run with logs larger than one RPC whole", async () => {
  const { flow, path } = await largeRun();
  const { status, body } = await flow.user.get(path);
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ state: "succeeded", event: { method: "POST" } });
  expect(body.data.steps).toHaveLength(COUNT);
  for (const [index, step] of body.data.steps.entries()) {
    expect(step.name).toBe(index === 0 ? "one" : "two");
    expect(step.logs).toHaveLength(200);
  }
  expect(await runsOf(flow)).toHaveLength(1);
});

test("reads the requested fields of such a run", async () => {
  const { flow, path } = await largeRun();
  const fieldsOf = async (query: string) => {
    const { body } = await flow.user.get(path + query);
    return Object.keys(body.data);
  };
  expect(await fieldsOf("?include=steps")).toEqual(["steps"]);
  expect(await fieldsOf("?include=id,state")).toEqual(["id", "state"]);
  // A misspelled name would leave nothing, so it counts as absent.
  expect(await fieldsOf("?include=nothing")).toEqual(expect.arrayContaining(["id", "steps"]));
  expect(await fieldsOf("?exclude=steps,event")).not.toContain("steps");
});

test("reruns such a run from a step", async () => {
  const { flow, path } = await largeRun();
  const { status, body } = await flow.user.post(`${path}/rerun`, { from_step: "two" });
  expect(status).toBe(200);
  expect(body.data.steps[0]).toMatchObject({ name: "one", reused: true });
});
