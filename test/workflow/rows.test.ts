import { runDurableObjectAlarm } from "cloudflare:test";
import { expect, test } from "vitest";

import { later } from "../support/clock.ts";
import { code, deployWorkflow, runOnce } from "../support/workflow.ts";
import { watchAllRows, watchRows } from "../support/written-rows.ts";

test("a run of one step is seven rows, usage included, and shares the rows of its alarm", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: code("return 1") }] });
  expect(await runOnce(flow)).toMatchObject({ state: "succeeded", steps: [{ name: "one" }] });
  const written = await watchAllRows(flow.stub);
  expect(await runOnce(flow)).toMatchObject({ state: "succeeded", steps: [{ name: "one" }] });
  expect(written()).toSatisfy((rows: string[]) => rows.length <= 8);
});

test("deletes the instances of many runs with one written row", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: code("return 1") }] });
  for (let n = 0; n < 5; n += 1) await runOnce(flow);
  const written = await watchRows(flow.stub);
  // Instances are left alone for a second after the end of their runs.
  await later(1000, () => runDurableObjectAlarm(flow.stub));
  // Besides that row: the usage report, and the next alarm.
  expect(written()).toSatisfy((rows: string[]) => rows.length <= 4);
});
