import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { newId } from "#domain/ids.ts";
import { underWay } from "#telemetry/under-way.ts";

import { later, stopClock } from "../support/clock.ts";
import { settleAt } from "../support/webhook-tables.ts";
import {
  deliveriesOf,
  newDelivery,
  newWebhook,
  passTime,
  statesOf,
  type WebhookStub,
} from "../support/webhook.ts";
import { watchAllRows } from "../support/written-rows.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

async function alarmOf(stub: WebhookStub): Promise<number | null> {
  return runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
}

test("accepts the same event once, however often it arrives", async () => {
  const { stub, received } = await newWebhook();
  const delivery = newDelivery();
  await stub.take([delivery, delivery]);
  await stub.take([delivery]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  await stub.take([delivery]);
  await runDurableObjectAlarm(stub);
  expect(await received()).toHaveLength(1);
});

test("equal positions of two emitters are two deliveries", async () => {
  const { stub } = await newWebhook();
  const delivery = newDelivery();
  await stub.take([delivery, { ...delivery, emitterId: "dc_other" }]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered", "delivered"]);
});

test("an event that is delivered at once costs one row written", async () => {
  // One whose response takes longer than 100 ms has more.
  const rows = async () => {
    const { stub } = await newWebhook();
    const written = await watchAllRows(stub);
    await stub.take([newDelivery()]);
    await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
    return written().length;
  };
  // And the alarm that deletes it after a week.
  await expect.poll(rows).toBe(2);
});

test.for([400, 404, 429, 500, 503, 301])(
  "retries a delivery five seconds after status %i",
  async (status) => {
    const { startMs } = stopClock();
    using _ = vi.spyOn(Math, "random").mockReturnValue(0.5);
    const { stub } = await newWebhook({ status });
    await stub.take([newDelivery()]);
    await expect.poll(() => statesOf(stub)).toEqual(["failed"]);
    const nextAttemptAtMs = startMs + 5000;
    expect(await deliveriesOf(stub)).toMatchObject([{ attempts: [{ status }], nextAttemptAtMs }]);
    expect(await alarmOf(stub)).toBe(nextAttemptAtMs);
  },
);

test("attempts share one id and have their own numbers", async () => {
  const { stub, received } = await newWebhook({ status: 500 }, { status: 500 }, { status: 200 });
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["failed"]);
  await passTime(stub);
  await expect.poll(async () => (await deliveriesOf(stub))[0]?.attempts).toHaveLength(2);
  await passTime(stub);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  const got = (await received()).map(({ headers }) => headers);
  expect(got.map((headers) => headers["x-wellspring-attempt"])).toEqual(["1", "2", "3"]);
  expect(new Set(got.map((headers) => headers["webhook-id"])).size).toBe(1);
  expect((await deliveriesOf(stub))[0]?.attempts.map(({ status }) => status)).toEqual([
    500, 500, 200,
  ]);
});

test.for([
  ["seconds", (): string => "3600"],
  ["a date", (): string => new Date(Date.now() + HOUR).toUTCString()],
] as const)(
  "does not retry an overloaded receiver before its Retry-After in %s",
  async ([, after]) => {
    const { startMs } = stopClock();
    const { stub } = await newWebhook({ status: 429, headers: { "retry-after": after() } });
    await stub.take([newDelivery()]);
    await expect.poll(() => statesOf(stub)).toEqual(["failed"]);
    expect(await deliveriesOf(stub)).toMatchObject([{ nextAttemptAtMs: startMs + HOUR }]);
  },
);

test("the tenth failure is the last, unless a retry is requested", async () => {
  const { stub, received } = await newWebhook(
    ...Array.from({ length: 10 }, () => ({ status: 500 })),
    { status: 200 },
  );
  await stub.take([newDelivery()]);
  for (let count = 1; count <= 10; count += 1) {
    await expect.poll(async () => (await deliveriesOf(stub))[0]?.attempts.length).toBe(count);
    await passTime(stub);
  }
  const [dead] = await deliveriesOf(stub);
  expect(dead).toMatchObject({ state: "dead" });
  expect(dead).not.toHaveProperty("nextAttemptAtMs");
  expect(await stub.retry(dead?.id ?? "")).toBe(true);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  expect(await received()).toHaveLength(11);
});

test("a requested retry does not wait for the planned time", async () => {
  const { stub } = await newWebhook({ status: 500 }, { status: 200 });
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["failed"]);
  const [delivery] = await deliveriesOf(stub);
  await stub.retry(delivery?.id ?? "");
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  expect(await stub.retry("dlv_1-1_dc_a")).toBe(false);
  expect(await stub.retry("nonsense")).toBe(false);
});

test("a replay resends the settled deliveries of a range of time", async () => {
  const { stub, received } = await later(-HOUR, () => newWebhook());
  const startMs = Date.now() - HOUR;
  const at = (minute: number) => newDelivery({ position: (startMs + minute * MINUTE) * 1000 });
  await stub.take([at(0), at(1), at(2), at(3)]);
  await expect.poll(received).toHaveLength(4);
  await expect.poll(() => statesOf(stub)).toEqual(Array.from({ length: 4 }, () => "delivered"));
  expect(await stub.replay(startMs + MINUTE, startMs + 2 * MINUTE)).toBe(2);
  await expect.poll(received).toHaveLength(6);
  await expect.poll(() => statesOf(stub)).toEqual(Array.from({ length: 4 }, () => "delivered"));
  const got = (await received()).map(({ headers }) => headers["x-wellspring-attempt"]);
  expect(got.filter((attempt) => attempt === "2")).toHaveLength(2);
});

test("a replay sends the deliveries that wait for a retry, and none that is in flight", async () => {
  const { stub, received, release } = await newWebhook(
    { status: 500 },
    { status: 500 },
    { status: 200, isHeld: true },
  );
  const deliveries = [newDelivery(), newDelivery()];
  await stub.take(deliveries);
  await expect.poll(() => statesOf(stub)).toEqual(["failed", "failed"]);
  const all = [0, Date.now() + HOUR] as const;
  expect(await stub.replayable(...all)).toBe(2);
  expect(await stub.replay(...all)).toBe(2);
  expect([await stub.replayable(...all), await stub.replay(...all)]).toEqual([0, 0]);
  await release();
  await expect.poll(() => statesOf(stub)).toEqual(["delivered", "delivered"]);
  const sent = (await received()).map(({ headers }) => headers["webhook-id"]);
  for (const { emitId } of deliveries) expect(sent.filter((id) => id === emitId)).toHaveLength(2);
});

test("at most six deliveries are in flight, and all arrive", async () => {
  const { stub, received, release } = await newWebhook({ status: 200, isHeld: true });
  const before = underWay().runs;
  const taken = stub.take(Array.from({ length: 8 }, () => newDelivery()));
  await expect.poll(received).toHaveLength(6);
  expect(underWay().runs).toBe(before + 6);
  await release();
  await expect.poll(received).toHaveLength(8);
  await taken;
});

test("deliveries are listed newest first, in pages", async () => {
  const { stub } = await newWebhook();
  const [a, b, c] = [newDelivery(), newDelivery(), newDelivery()].toSorted(
    (x, y) => x.position - y.position,
  );
  await stub.take([a, b, c].filter((delivery) => delivery !== undefined));
  const ids = async (query: { after?: string; before?: string }): Promise<string[]> =>
    (await stub.deliveries({ limit: 2, ...query })).deliveries.map(({ eventId }) => eventId);
  expect(await ids({})).toEqual([c?.eventId, b?.eventId]);
  expect(await ids({ after: `dlv_${b?.eventId}_dc_emitter` })).toEqual([a?.eventId]);
  expect(await ids({ before: `dlv_${b?.eventId}_dc_emitter` })).toEqual([c?.eventId]);
  expect((await stub.deliveries({ limit: 1 })).totalCount).toBe(3);
  expect((await stub.deliveries({ limit: 1, state: "dead" })).totalCount).toBe(0);
});

test("deletes deliveries that settled a week ago, and no pending ones", async () => {
  const { stub } = await later(-9 * DAY, () =>
    newWebhook({ status: 200 }, { status: 200 }, { status: 500 }),
  );
  const oldPosition = (Date.now() - 8 * DAY) * 1000;
  await stub.take([newDelivery({ position: oldPosition })]);
  await stub.take([newDelivery({ position: oldPosition + 1 })]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered", "delivered"]);
  await stub.take([newDelivery({ position: oldPosition + 2 })]);
  await expect.poll(() => statesOf(stub)).toEqual(["failed", "delivered", "delivered"]);
  const longAgo = Date.now() - 7 * DAY - 1;
  await settleAt(stub, oldPosition, longAgo);
  await runDurableObjectAlarm(stub);
  expect(await statesOf(stub)).toEqual(["failed", "delivered"]);
});

test("a name without a webhook holds no storage", async () => {
  const stub = env.WEBHOOKS.getByName(newId("webhook"));
  await stub.take([newDelivery()]);
  expect(await stub.deliveries({ limit: 1 })).toEqual({ deliveries: [], totalCount: 0 });
  expect(await stub.rotateSecret()).toEqual({ signingSecret: null });
  expect(await stub.retry("dlv_1-1_dc_a")).toBe(false);
  expect(await stub.replay(0, Date.now())).toBe(0);
  expect(await stub.status()).toEqual({ active: false, failingSinceMs: null, reason: null });
  await runInDurableObject(stub, (_, { storage }) => {
    expect([...storage.kv.list()]).toEqual([]);
  });
});

test("removing a webhook during a delivery leaves no state", async () => {
  const { stub, received, release } = await newWebhook({ status: 500, isHeld: true });
  const before = underWay().runs;
  await stub.take([newDelivery()]);
  await expect.poll(received).toHaveLength(1);
  await stub.remove();
  await stub.take([newDelivery()]);
  await release();
  // Runs of other files may end meanwhile.
  await expect.poll(() => underWay().runs).toBeLessThanOrEqual(before);
  expect(await alarmOf(stub)).toBeNull();
  await runInDurableObject(stub, (_, { storage }) => {
    expect([...storage.kv.list()]).toEqual([]);
  });
  await evictDurableObject(stub);
  expect(await deliveriesOf(stub)).toEqual([]);
});
