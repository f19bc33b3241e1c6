import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { dayOf } from "#domain/billing.ts";

import { operator, signUp } from "../support/client.ts";
import { code, deployWorkflow, runsOf, triggerHttp } from "../support/workflow.ts";

type Flow = Awaited<ReturnType<typeof deployWorkflow>>;

const TWO_STEPS = [
  { name: "quick", component_code: code("return 1") },
  {
    name: "slow",
    component_code: code("await new Promise((done) => setTimeout(done, 200)); return 2"),
  },
];

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
  await Promise.all([1, 2, 3].map(() => triggerHttp(flow.url)));
  await expect.poll(async () => (await usedBy(flow)).invocations, { timeout: 5000 }).toBe(3);
  const { computeMs } = await usedBy(flow);
  expect(computeMs).toBeGreaterThanOrEqual(600);
  expect(computeMs).toBeLessThan(3000);
});

test("a failed run is an invocation, and a pause is no compute", async () => {
  const flow = await deployWorkflow({
    steps: [
      { name: "wait", component_code: code("return $.flow.delay(1000)") },
      { name: "fail", component_code: code(`throw new Error("no")`) },
    ],
  });
  await triggerHttp(flow.url);
  await expect.poll(async () => (await runsOf(flow))[0].state, { timeout: 10_000 }).toBe("failed");
  const { invocations, computeMs } = await usedBy(flow);
  expect(invocations).toBe(1);
  expect(computeMs).toBeLessThan(900);
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
  await runInDurableObject(flow.stub, (_, { storage }) => {
    storage.sql.exec("UPDATE runs SET compute_ms = NULL");
    storage.sql.exec(
      "INSERT INTO usage (day, invocations, compute_ms, credits) VALUES (?, 1, ?, 2)",
      dayOf(Date.now() / 1000),
      computeMs,
    );
  });
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
