import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { about } from "../support/about.ts";
import { signUp } from "../support/client.ts";
import { deploy, eventsOf, sendJson } from "../support/deploy.ts";
import { refuse, refuseNoMore, waitingEvents } from "../support/source-tables.ts";
import { newReceiver } from "../support/webhook.ts";

const FAILING = `export default { name: "Moody", version: "1", props: { http: "$.interface.http" },
  run({ body }) { if (body.fail) throw new TypeError("broken " + "x".repeat(body.fail)); } }`;

async function send(url: string, count: number, body: { fail?: number }) {
  for (let each = 0; each < count; each += 1) await sendJson(url, body);
}

const alertsOf = (stub: Parameters<typeof eventsOf>[0]) => eventsOf(stub, "$alerts");

test("ten consecutive failures raise one alert, and one end of it", async () => {
  const { stub, deployment, url } = await deploy(FAILING);
  await send(url, 9, { fail: 1 });
  await send(url, 1, {});
  await send(url, 9, { fail: 1 });
  await expect.poll(async () => (await eventsOf(stub, "$errors")).length).toBe(18);
  expect(await alertsOf(stub)).toEqual([]);
  await send(url, 1, { fail: 2000 });
  await expect.poll(async () => (await alertsOf(stub)).length).toBe(1);
  const [alert] = await alertsOf(stub);
  expect(alert?.event).toMatchObject({
    kind: "failing",
    recovered: false,
    message: expect.stringContaining("10 runs failed"),
    subject: { type: "source", id: deployment.sourceId, name: null },
    error: { name: "TypeError", message: expect.stringMatching(/^broken x{1017}$/) },
    details: { failures: 10 },
  });
  await send(url, 12, { fail: 1 });
  await expect.poll(async () => (await eventsOf(stub, "$errors")).length).toBe(31);
  expect(await alertsOf(stub)).toHaveLength(1);
  await send(url, 2, {});
  await expect.poll(async () => (await alertsOf(stub)).length).toBe(2);
  expect(await alertsOf(stub)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ event: expect.objectContaining({ recovered: true }) }),
    ]),
  );
  // A second series raises another alert.
  await send(url, 10, { fail: 1 });
  await expect.poll(async () => (await alertsOf(stub)).length).toBe(3);
});

test("failures are counted across crashes, and raise one alert", async () => {
  const { stub, url } = await deploy(FAILING);
  for (let each = 0; each < 12; each += 1) {
    await send(url, 1, { fail: 1 });
    await expect.poll(async () => (await eventsOf(stub, "$errors")).length).toBe(each + 1);
    await evictDurableObject(stub);
  }
  expect(await alertsOf(stub)).toHaveLength(1);
});

test("a commit that fails at the tenth failure stores neither an alert nor its count", async () => {
  const { stub, url } = await deploy(FAILING);
  await send(url, 9, { fail: 1 });
  await expect.poll(async () => (await eventsOf(stub, "$errors")).length).toBe(9);
  await refuse(stub, "alerts");
  await send(url, 1, { fail: 1 });
  expect(await eventsOf(stub, "$errors")).toHaveLength(9);
  await refuseNoMore(stub);
  await send(url, 1, { fail: 1 });
  await expect.poll(async () => (await alertsOf(stub)).length).toBe(1);
  expect(await eventsOf(stub, "$errors")).toHaveLength(10);
});

const WITH_ACCOUNT = `export default { props: { http: "$.interface.http", chat: { type: "app", app: "chat" } },
  run() {} }`;

test("a lost account raises one alert, with the first run that needs it", async () => {
  const chat = { authProvisionId: "apn_deleted" };
  const { stub, deployment, url } = await deploy(WITH_ACCOUNT, { props: { chat } });
  await send(url, 3, {});
  await expect.poll(async () => (await eventsOf(stub, "$errors")).length).toBe(3);
  expect(await alertsOf(stub)).toMatchObject([
    { event: { kind: "account_lost", recovered: false } },
  ]);
  await stub.update({ ...deployment, configuredProps: {} }, true);
  await send(url, 2, {});
  await expect.poll(async () => (await alertsOf(stub)).length).toBe(2);
  expect(
    (await alertsOf(stub)).filter(({ event }) =>
      JSON.stringify(event).includes('"recovered":true'),
    ),
  ).toMatchObject([{ event: { kind: "account_lost", recovered: true } }]);
});

const TICKING = `export default { props: { timer: { type: "$.interface.timer" } }, run() {} }`;

async function tick(stub: Parameters<typeof eventsOf>[0], lateMs: number) {
  await runInDurableObject(stub, (_, { storage }) => {
    const timers = storage.kv.get<Record<string, { dueMs: number }>>("timers") ?? {};
    for (const timer of Object.values(timers)) timer.dueMs = Date.now() - lateMs;
    storage.kv.put("timers", timers);
  });
  await runDurableObjectAlarm(stub);
  await expect.poll(() => waitingEvents(stub)).toBe(0);
}

test("late ticks raise one alert, which ends with a punctual tick", async () => {
  const props = { timer: { cron: null, interval_seconds: 60 } };
  const { stub } = await deploy(TICKING, { props });
  await tick(stub, 110_000);
  expect(await alertsOf(stub)).toEqual([]);
  await tick(stub, 130_000);
  await tick(stub, 500_000);
  expect(await alertsOf(stub)).toMatchObject([
    { event: { kind: "late", details: { prop: "timer", late_seconds: about(130) } } },
  ]);
  await tick(stub, 0);
  await tick(stub, 0);
  expect(await alertsOf(stub)).toHaveLength(2);
});

test("a removed timer is no longer late", async () => {
  const props = { timer: { cron: null, interval_seconds: 60 } };
  const { stub, deployment } = await deploy(TICKING, { props });
  await tick(stub, 210_000);
  expect(await alertsOf(stub)).toHaveLength(1);
  await stub.update({ ...deployment, configuredProps: {} }, true);
  expect(await alertsOf(stub)).toMatchObject([
    { event: { kind: "late", recovered: true } },
    { event: { kind: "late", recovered: false } },
  ]);
});

test("a tick with a failed transaction leaves no unreported alert", async () => {
  const props = { timer: { cron: null, interval_seconds: 60 } };
  const { stub } = await deploy(TICKING, { props });
  await tick(stub, 0);
  await refuse(stub, "inbox");
  await expect(tick(stub, 500_000)).rejects.toThrow("cut");
  expect(await alertsOf(stub)).toEqual([]);
  await refuseNoMore(stub);
  await tick(stub, 500_000);
  expect(await alertsOf(stub)).toMatchObject([{ event: { kind: "late", recovered: false } }]);
});

test("listeners of a source and of its owner receive its alerts", async () => {
  const user = await signUp();
  const { body } = await user.post("/sources", { component_code: FAILING, name: "moody" });
  const { id, configured_props } = body.data;
  const hooks = await Promise.all(
    [id, user.user.id].map(async (emitter_id) => {
      const receiver = await newReceiver({ status: 200 });
      const hook = await user.post("/webhooks", { url: receiver.url });
      const link = { emitter_id, listener_id: hook.body.data.id, event_name: "$alerts" };
      expect(await user.post("/subscriptions", link)).toMatchObject({ status: 200 });
      return receiver;
    }),
  );
  await send(configured_props.http.endpoint_url, 10, { fail: 1 });
  for (const { received } of hooks)
    await expect
      .poll(async () => (await received()).map((one) => JSON.parse(one.body)))
      .toMatchObject([{ kind: "failing", subject: { type: "source", id, name: "moody" } }]);
  const listed = await user.get(`/sources/${id}/$alerts/event_summaries`);
  expect(listed.body.data).toMatchObject([{ event: { kind: "failing" } }]);
});
