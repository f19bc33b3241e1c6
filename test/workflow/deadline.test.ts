import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";
import { triggerContext } from "#domain/workflows.ts";
import { StepInvoker } from "#durable-objects/workflow/step-invoker.ts";
import { bundleOf, originOf } from "#sandbox/open.ts";
import { loadUserCode } from "#sandbox/worker-loader.ts";

import { install } from "../support/deploy.ts";
import { newReceiver } from "../support/webhook.ts";

/** Execute a step that waits for a response from a URL, of a run with `leftMs` left. */
async function execute(url: string, leftMs: number) {
  const owner = newId("user");
  const [, bundleHash] = await install(
    `export default { async run() { await fetch("${url}", { method: "POST" }) } }`,
    owner,
  );
  const deployment = {
    id: newId("deployment"),
    workflowId: newId("workflow"),
    ownerId: owner,
    name: "Slow",
    endpointKey: null,
    schedule: null,
    steps: [],
    origin: "",
  };
  const origin = { sourceType: "http", emitterId: null, traceId: "run" } as const;
  const context = triggerContext({ id: "run", beganMs: Date.now(), ...origin }, deployment);
  const egress = exports.Egress({ props: { owner } });
  const invoker = new StepInvoker({
    plan: { deployment, event: "{}", context, secret: "s", hops: 0 },
    sandbox: {
      open: () => ({
        code: loadUserCode(env, { owner, bundleHash, egress }, () => bundleOf(env, bundleHash)),
        stores: undefined,
      }),
      valuesFor: async () => ({ ok: true, values: {}, staleAtMs: Infinity }),
      renewalFor: () => async () => null,
      origin: () => originOf(env, bundleHash),
      dbOf: () => Promise.resolve({}),
      origins: [],
      egress: () => egress,
    },
    outlets: { respond: async () => {}, trigger: async () => ({ ok: true }) },
  });
  const step = {
    name: "slow",
    bundleHash,
    props: [],
    additional: "",
    values: {},
    expressions: null,
    retries: null,
  };
  return invoker.execute({
    step,
    number: 1,
    run: { runs: 1 },
    steps: "{}",
    usedBytes: 0,
    budget: 1,
    deadlineMs: Date.now() + leftMs,
    isLast: true,
    isFinal: true,
  });
}

test("a step ends at its run's deadline, and no step starts after it", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  expect(await execute(gate.url, 2000)).toMatchObject({
    verdict: { ends: "failed", failure: { name: "DeadlineExceeded" } },
  });
  const late = await execute(gate.url, -1);
  expect(late.verdict.failure?.message).toBe("The run did not pause or end within its deadline");
  expect(await gate.received()).toHaveLength(1);
  await gate.release();
});
