import { expect, test } from "vitest";

import { EMPTY_LOCKFILE } from "#domain/lockfile.ts";
import type { RunPlan } from "#durable-objects/workflow/contract.ts";
import { StepInvoker } from "#durable-objects/workflow/step-invoker.ts";
import type { UserCode } from "#sandbox/user-code.ts";

import { linesOf } from "../support/telemetry.ts";

const STEP = {
  name: "step",
  bundleHash: "none",
  props: [],
  additional: "",
  values: {},
  expressions: null,
  retries: null,
};

const PLAN = {
  deployment: { workflowId: "p_1", ownerId: "u_1", steps: [STEP], origin: "http://w.test" },
  context: { id: "r" },
  event: "{}",
  secret: "s",
  hops: 0,
  requestId: "q",
} as unknown as RunPlan;

const EXECUTION = {
  step: STEP,
  number: 1,
  run: { runs: 1 },
  steps: "{}",
  usedBytes: 0,
  budget: 1,
  deadlineMs: Date.now() + 1_000_000,
  isLast: true,
  isFinal: true,
};

test.for([
  ["Worker exceeded CPU time limit.", "cpu_limit"],
  ["hunter2", "unknown"],
])("logs only the cause when a step's isolate crashes with %j", async ([words, outcome]) => {
  const killed = { invoke: () => Promise.reject(new Error(words)) } as unknown as UserCode;
  const invoker = new StepInvoker({
    plan: PLAN,
    sandbox: {
      open: () => ({ code: killed, stores: undefined }),
      valuesFor: async () => ({ ok: true, values: {}, staleAtMs: Infinity }),
      renewalFor: () => async () => null,
      origin: async () => ({ map: "", lockfile: EMPTY_LOCKFILE }),
      dbOf: () => Promise.resolve({}),
      origins: [],
      egress: () => {
        throw new Error("It sends no request");
      },
    },
    outlets: { respond: async () => {}, trigger: async () => ({ ok: true }) },
  });
  const lines = await linesOf("warn", () => invoker.execute(EXECUTION));
  const ids = { request_id: "q", run_id: "r", workflow_id: "p_1", owner_id: "u_1" };
  expect(lines.filter(({ event }) => event === "isolate_died")).toMatchObject([
    { ...ids, outcome },
  ]);
  expect(JSON.stringify(lines)).not.toContain("hunter2");
});
