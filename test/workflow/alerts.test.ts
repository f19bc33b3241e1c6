import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { about } from "../support/about.ts";
import { operator, signUp } from "../support/client.ts";
import { code, deployWorkflow, runsOf, triggerHttp } from "../support/workflow.ts";

const MOODY = {
  name: "moody",
  component_code: code(`if (steps.trigger.event.body?.fail) throw new Error("broken"); return 1`),
};
const ALWAYS_FAILING = { name: "echo", component_code: code(`throw new Error("I fail as well")`) };

test("ten failed runs of a workflow raise one alert, even if its listener fails with its own alerts", async () => {
  const flow = await deployWorkflow({ steps: [MOODY] });
  const { user, id, url } = flow;
  const guard = await deployWorkflow({ owner: user, steps: [ALWAYS_FAILING] });
  for (const listener_id of [id, guard.id]) {
    const link = { emitter_id: user.user.id, listener_id, event_name: "$alerts" };
    expect(await user.post("/subscriptions", link)).toMatchObject({ status: 200 });
  }
  for (let each = 0; each < 10; each += 1) await triggerHttp(url, { fail: true });
  const alerts = async () =>
    (await user.get(`/workflows/${id}/$alerts/event_summaries?expand=event`)).body.data.map(
      (one: { event: unknown }) => one.event,
    );
  // Its own alert triggers a run of it, which succeeds and ends the alert.
  await expect.poll(alerts, { timeout: 20_000 }).toMatchObject([
    { kind: "failing", recovered: true },
    { kind: "failing", recovered: false, subject: { type: "workflow", id, name: "Flow" } },
  ]);
  await expect.poll(async () => (await runsOf(guard)).length, { timeout: 20_000 }).toBe(2);
  expect((await runsOf(flow)).length).toBeGreaterThanOrEqual(11);
});

type Flow = Awaited<ReturnType<typeof deployWorkflow>>;

const TIMER = { type: "timer", interval_seconds: 60 };

/** Make a workflow's tick overdue, as after an outage of the platform, and restart its object. */
async function restartLate({ stub }: Flow, lateMs: number) {
  await runInDurableObject(stub, async (_, { storage }) => {
    const timers = storage.kv.get<Record<string, { dueMs: number }>>("timers") ?? {};
    for (const timer of Object.values(timers)) timer.dueMs = Date.now() - lateMs;
    storage.kv.put("timers", timers);
  });
  await evictDurableObject(stub);
  await stub.recover();
}

async function alertsOf({ user, id }: Pick<Flow, "user" | "id">) {
  const { body } = await user.get(`/workflows/${id}/$alerts/event_summaries?expand=event`);
  return body.data.map((one: { event: unknown }) => one.event);
}

test("after an outage, every timer raises one alert about its delay, however many ticks it missed", async () => {
  const user = await signUp();
  const steps = [{ name: "a", component_code: code("return 1") }];
  const flows = [
    await deployWorkflow({ owner: user, trigger: TIMER, steps }),
    await deployWorkflow({ owner: user, trigger: TIMER, steps }),
    await deployWorkflow({
      owner: user,
      trigger: { type: "timer", interval_seconds: 3600 },
      steps,
    }),
  ];
  const done = async (flow: Flow, count: number) => {
    const states = async () => (await runsOf(flow)).map(({ state }: { state: string }) => state);
    await expect.poll(states).toEqual(Array.from({ length: count }, () => "succeeded"));
  };
  for (const flow of flows) {
    await runDurableObjectAlarm(flow.stub);
    await done(flow, 1);
    // Three and a half intervals of the first two.
    await restartLate(flow, 210_000);
    await done(flow, 2);
    await flow.stub.recover();
  }
  const [first, second, hourly] = flows as [Flow, Flow, Flow];
  for (const flow of [first, second])
    expect(await alertsOf(flow)).toMatchObject([
      { kind: "late", recovered: false, details: { prop: "timer", late_seconds: about(210) } },
    ]);
  expect(await alertsOf(hourly)).toEqual([]);
  const listed = async () => (await user.get("/users/me/alerts")).body.data;
  await expect.poll(listed).toHaveLength(2);
  // A second outage before a punctual tick belongs to the same alert.
  await restartLate(first, 400_000);
  await done(first, 3);
  expect(await alertsOf(first)).toHaveLength(1);
  await restartLate(first, 0);
  await done(first, 4);
  expect(await alertsOf(first)).toMatchObject([{ recovered: true }, { recovered: false }]);
  await expect.poll(listed).toMatchObject([{ kind: "late", subject: { id: second.id } }]);
});

test("a removed timer is no longer late", async () => {
  const steps = [{ name: "a", component_code: code("return 1") }];
  const flow = await deployWorkflow({ trigger: TIMER, steps });
  await runDurableObjectAlarm(flow.stub);
  await expect.poll(() => runsOf(flow)).toMatchObject([{ state: "succeeded" }]);
  await restartLate(flow, 210_000);
  expect(await alertsOf(flow)).toMatchObject([{ kind: "late", recovered: false }]);
  const input = { name: "Flow", trigger: { type: "http" }, steps };
  expect((await operator.put(`/workflows/${flow.id}`, input)).status).toBe(200);
  expect(await alertsOf(flow)).toMatchObject([{ recovered: true }, { recovered: false }]);
});
