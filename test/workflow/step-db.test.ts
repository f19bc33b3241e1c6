import { expect, test } from "vitest";

import { operator } from "../support/client.ts";
import { deployWorkflow, runOnce } from "../support/workflow.ts";

/** An action that counts its runs in its own db. */
const COUNTER = `export default {
  name: "Counter", version: "0.0.1", type: "action", props: { db: "$.service.db" },
  async run({ $, steps }) {
    const runs = (this.db.get("runs") ?? 0) + 1;
    this.db.set("runs", runs);
    if (steps.trigger.event.body.forget) this.db.set("runs", undefined);
    if (steps.trigger.event.body.fail) throw new Error("after it counted");
    return runs;
  },
}`;

test("each step has its own db, which persists across runs", async () => {
  const steps = ["first", "second"].map((name) => ({ name, component_code: COUNTER }));
  const flow = await deployWorkflow({ steps });
  const counted = async (body = {}) =>
    (await runOnce(flow, body)).steps.map(
      ({ exports }: { exports: { $return_value?: number } }) => exports.$return_value,
    );
  expect(await counted()).toEqual([1, 1]);
  // The second step is not run, and the first one's db writes before its failure are kept.
  expect(await counted({ fail: true })).toEqual([undefined]);
  expect(await counted({ forget: true })).toEqual([3, 2]);
  expect(await counted()).toEqual([1, 1]);
});

test("a removed step leaves no db", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "old", component_code: COUNTER }] });
  await runOnce(flow);
  const deploySteps = (name: string) =>
    operator.put(`/workflows/${flow.id}`, { steps: [{ name, component_code: COUNTER }] });
  await deploySteps("new");
  await deploySteps("old");
  expect((await runOnce(flow)).steps).toMatchObject([{ exports: { $return_value: 1 } }]);
});

test("a full db keeps its records, and the run reports the failure", async () => {
  const component_code = `export default {
    name: "Filler", version: "0.0.1", type: "action", props: { db: "$.service.db" },
    async run({ steps }) {
      const { from } = steps.trigger.event.body;
      const before = this.db.get("k0") !== undefined && this.db.get("k8") === undefined;
      for (let n = from; n < from + 7; n += 1) this.db.set("k" + n, "x".repeat(1000000));
      return before;
    },
  }`;
  const flow = await deployWorkflow({ steps: [{ name: "fill", component_code }] });
  await runOnce(flow, { from: 0 });
  expect(await runOnce(flow, { from: 7 })).toMatchObject({
    state: "failed",
    error: { message: expect.stringContaining("at most 8 MB") },
  });
  const [step] = (await runOnce(flow, { from: 0 })).steps;
  expect(step.exports).toEqual({ $return_value: true });
});
