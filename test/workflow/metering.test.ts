import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { dayOf } from "#domain/billing.ts";

import { operator, signUp } from "../support/client.ts";
import { countAsBefore } from "../support/workflow-tables.ts";
import { code, deployWorkflow, runOf, runsOf, triggerHttp } from "../support/workflow.ts";

type Flow = Awaited<ReturnType<typeof deployWorkflow>>;

const TWO_STEPS = [
  { name: "one", component_code: code("return 1") },
  { name: "two", component_code: code("return 2") },
];

type StepTimes = { started_at_ms: number; ended_at_ms: number };

/** The total duration of all steps of a workflow's runs, each of a millisecond at least. */
async function stepsMs(flow: Flow): Promise<number> {
  const runs: { id: string }[] = await runsOf(flow);
  const steps = await Promise.all(
    runs.map(async ({ id }) => (await runOf(flow, id)).steps as StepTimes[]),
  );
  return steps
    .flat()
    .reduce((sum, one) => sum + Math.max(1, one.ended_at_ms - one.started_at_ms), 0);
}

/** Today's usage of a workflow's owner, after the pending alarm has fired. */
async function usedBy({ user, stub }: Flow) {
  await runDurableObjectAlarm(stub);
  const { data } = (await user.get("/users/me")).body;
  return {
    invocations: data.daily_invocations_used as number,
    computeMs: data.daily_compute_time_used as number,
  };
}

const setQuotas = ({ user }: Flow, quotas: object) =>
  operator.put(`/users/${user.user.id}/quotas`, quotas);

test("a run of a workflow is one invocation, and its steps are its compute", async () => {
  const flow = await deployWorkflow({ steps: TWO_STEPS });
  const before = await usedBy(flow);
  await Promise.all([1, 2, 3].map(() => triggerHttp(flow.url)));
  await expect.poll(async () => (await usedBy(flow)).invocations).toBe(3);
  expect(await usedBy(flow)).toMatchObject({
    computeMs: before.computeMs + (await stepsMs(flow)),
  });
});

test("a failed run is an invocation, and a pause is no compute", async () => {
  const flow = await deployWorkflow({
    steps: [
      { name: "wait", component_code: code("return $.flow.delay(1000)") },
      { name: "fail", component_code: code(`throw new Error("no")`) },
    ],
  });
  const { computeMs } = await usedBy(flow);
  await triggerHttp(flow.url);
  await expect.poll(async () => (await runsOf(flow))[0].state).toBe("failed");
  expect(await usedBy(flow)).toEqual({
    invocations: 1,
    computeMs: computeMs + (await stepsMs(flow)),
  });
});

test("usage of a workflow survives an eviction and the workflow's deletion", async () => {
  const flow = await deployWorkflow({ steps: TWO_STEPS });
  await triggerHttp(flow.url);
  await expect.poll(async () => (await runsOf(flow))[0].state).toBe("succeeded");
  await evictDurableObject(flow.stub);
  await operator.delete(`/workflows/${flow.id}`);
  expect((await flow.user.get("/users/me")).body.data).toMatchObject({ daily_invocations_used: 1 });
});

test("counts usage once that an older release has counted", async () => {
  const flow = await deployWorkflow({ steps: TWO_STEPS });
  await triggerHttp(flow.url);
  await expect.poll(async () => (await usedBy(flow)).invocations).toBe(1);
  const { computeMs } = await usedBy(flow);
  await countAsBefore(flow.stub, dayOf(Date.now() / 1000), computeMs);
  await evictDurableObject(flow.stub);
  await triggerHttp(flow.url);
  await expect.poll(async () => (await usedBy(flow)).invocations).toBe(2);
});

test("rejects triggers beyond the owner's quota", async () => {
  const flow = await deployWorkflow({ steps: TWO_STEPS });
  await setQuotas(flow, { daily_invocations_quota: 2 });
  const answers = await Promise.all([1, 2, 3, 4].map(() => triggerHttp(flow.url)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  const late = await triggerHttp(flow.url);
  expect(JSON.parse(late.text)).toMatchObject({ code: "quota_exceeded" });
  expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
  await expect.poll(async () => (await usedBy(flow)).invocations).toBe(2);
});

test("deliveries wait while a quota is used up, and run when it is raised", async () => {
  const flow = await deployWorkflow({ steps: TWO_STEPS });
  await setQuotas(flow, { daily_invocations_quota: 1 });
  await triggerHttp(flow.url);
  await expect.poll(async () => (await usedBy(flow)).invocations).toBe(1);
  const event = { channel: "", payload: "{}", hops: 1, emitterId: "dc_other", eventId: "1-0" };
  await flow.stub.receive([{ ...event, emitId: "waiting", position: Date.now() * 1000 }]);
  await runDurableObjectAlarm(flow.stub);
  expect((await runsOf(flow))[0]).toMatchObject({ id: "waiting", state: "queued" });
  await setQuotas(flow, { daily_invocations_quota: 9 });
  await expect.poll(async () => (await runsOf(flow))[0].state).toBe("succeeded");
});

test("a tick while a quota is used up is skipped and recorded", async () => {
  const user = await signUp();
  const flow = await deployWorkflow({ owner: user, steps: TWO_STEPS });
  await triggerHttp(flow.url);
  await expect.poll(async () => (await usedBy(flow)).invocations).toBe(1);
  const ticking = await deployWorkflow({
    owner: user,
    trigger: { type: "timer", interval_seconds: 60 },
    steps: TWO_STEPS,
    active: false,
  });
  await operator.put(`/users/${user.user.id}/quotas`, { daily_invocations_quota: 1 });
  await operator.put(`/workflows/${ticking.id}`, { active: true });
  await runInDurableObject(ticking.stub, (_, { storage }) => {
    const timers = storage.kv.get<Record<string, { dueMs: number }>>("timers") ?? {};
    for (const timer of Object.values(timers)) timer.dueMs = Date.now();
    storage.kv.put("timers", timers);
  });
  await runDurableObjectAlarm(ticking.stub);
  expect(await runsOf(ticking)).toEqual([]);
  const { events } = await ticking.stub.events({ limit: 9, channel: "$logs", expand: true });
  expect(events[0]?.payload).toContain("daily invocations quota");
});
