import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { fromJson } from "#domain/json.ts";
import { keptInput } from "#durable-objects/workflow/step-input.ts";

import { newAccount } from "../support/accounts.ts";
import { signUp } from "../support/client.ts";
import {
  fillHistory,
  resumeAll,
  storedInputs,
  storedResumptions,
} from "../support/workflow-tables.ts";
import { code, deployWorkflow, ended, runOf, runOnce } from "../support/workflow.ts";

const SECRET = "sk_live_that_no_run_shows";

/** Has one prop of each kind. */
const TAKES = `
  const github = { type: "app", app: "github" };
  export default {
    name: "takes", version: "0.0.1", type: "action",
    props: {
      github,
      token: { type: "string", secret: true, optional: true },
      other: { type: "string", secret: true, optional: true },
      text: { type: "string", optional: true },
      number: { type: "integer", optional: true },
      byDefault: { type: "string", default: "eu" },
      left: { type: "string", optional: true },
    },
    run() { if (this.text === "fail") throw new Error("failed"); },
  };`;

async function taking(props: Record<string, unknown>) {
  const owner = await signUp();
  const account = await newAccount(owner.user.id);
  const { body } = await owner.post("/components", { component_code: TAKES });
  const step = { name: "takes", component_id: body.data.id, account, props };
  return { account, flow: await deployWorkflow({ owner, steps: [step] }) };
}

test("a run shows the input of each step without secrets and accounts", async () => {
  const { account, flow } = await taking({
    token: SECRET,
    other: "{{steps.trigger.event.body.secret}}",
    text: "for {{steps.trigger.event.body.who}}",
    number: "{{steps.trigger.event.body.n}}",
  });
  const run = await runOnce(flow, { secret: SECRET, who: "Ada", n: 7 });
  expect(run.steps).toMatchObject([{ state: "succeeded", input_truncated: false }]);
  expect(run.steps[0].input).toEqual({ text: "for Ada", number: 7, byDefault: "eu" });
  const stored = JSON.stringify(await storedInputs(flow.stub));
  expect(stored).toContain("for Ada");
  for (const hidden of [SECRET, account, "sk_ada"]) expect(stored).not.toContain(hidden);
  await evictDurableObject(flow.stub);
  expect(await runOf(flow, run.id)).toEqual(run);
});

test("a failed step shows its input, and one with a failed expression its other props", async () => {
  const { flow } = await taking({ text: "{{steps.trigger.event.body.text.trim()}}" });
  expect((await runOnce(flow, { text: " fail " })).steps).toMatchObject([
    { state: "failed", input: { text: "fail", byDefault: "eu" }, error: { message: "failed" } },
  ]);
  const { steps } = await runOnce(flow, {});
  expect(steps).toMatchObject([{ state: "failed", error: { code: "ExpressionError" } }]);
  expect(steps[0].input).toEqual({ byDefault: "eu" });
});

test("a step without props has an empty input, which is not stored", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: code("") }] });
  expect((await runOnce(flow)).steps).toMatchObject([{ input: {}, input_truncated: false }]);
  expect(await storedInputs(flow.stub)).toEqual([]);
});

test("truncates a large input, and marks it as truncated", async () => {
  const { flow } = await taking({ text: "{{steps.trigger.event.body.text}}", left: "short" });
  const whole = "x".repeat(20_000);
  expect((await runOnce(flow, { text: whole })).steps).toMatchObject([
    { input: { text: whole, left: "short" }, input_truncated: false },
  ]);
  // The host truncates the first, the isolate the second.
  for (const length of [40_000, 300_000]) {
    const { steps } = await runOnce(flow, { text: "x".repeat(length) });
    const text = expect.stringMatching(/^x{64,32768}…$/);
    expect(steps).toMatchObject([{ state: "succeeded", input_truncated: true }]);
    expect(steps[0].input).toEqual({ text, left: "short", byDefault: "eu" });
  }
});

test("a rerun from a later step shows the input of the reused steps", async () => {
  const props = `props: { text: { type: "string" } }, `;
  const flow = await deployWorkflow({
    steps: [
      {
        name: "says",
        component_code: `export default { ${props} run() { return this.text } }`,
        props: { text: "{{steps.trigger.event.body.text}}!" },
      },
      { name: "fails", component_code: code(`throw new Error("failed")`) },
    ],
  });
  const run = await runOnce(flow, { text: "hello" });
  const path = `/workflows/${flow.id}/runs/${run.id}/rerun`;
  const { body } = await flow.user.post(path, { from_step: "fails" });
  await expect.poll(ended(flow)).toMatchObject({
    id: body.data.id,
    steps: [
      { name: "says", reused: true, input: { text: "hello!" } },
      { name: "fails", reused: false },
    ],
  });
  expect(await storedInputs(flow.stub)).toHaveLength(2);
});

test("inputs and resumptions are deleted with their runs", async () => {
  const { flow } = await taking({ text: "{{steps.trigger.event.body.text}}" });
  await runOnce(flow, { text: "old" });
  await resumeAll(flow.stub);
  await fillHistory(flow.stub);
  await evictDurableObject(flow.stub);
  await runOnce(flow, { text: "new" });
  expect(await storedInputs(flow.stub)).toMatchObject([{ input: expect.stringContaining("new") }]);
  expect(await storedResumptions(flow.stub)).toEqual([]);
});

const PLANNED = {
  props: [
    { name: "a", type: "string" },
    { name: "app", type: "app" },
    { name: "token", type: "string" },
  ],
  values: { a: 1, app: { authProvisionId: "apn_1" }, gone: 1 },
  secrets: ["token"],
};

test.for([
  ["props that are not declared", `{"b":1,"__proto__":{"c":1}}`, { a: 1 }],
  ["secrets and accounts", `{"token":"x","app":{"$auth":{}}}`, { a: 1 }],
  ["a list", `[1,2]`, { a: 1 }],
  ["nothing else", `{"a":{"b":[2]}}`, { a: { b: [2] } }],
] as const)("of an isolate's report, an input omits %s", ([, values, shown]) => {
  const input = keptInput(PLANNED, { values, isCut: false });
  expect(fromJson(input.values)).toEqual(shown);
});

test("stores no input of a step with unknown secrets", () => {
  const { props, values } = PLANNED;
  expect(keptInput({ props, values }, { values: `{"a":2}`, isCut: false }).values).toBe("{}");
});
