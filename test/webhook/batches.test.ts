import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { deliveryId } from "#domain/delivery-ids.ts";
import { Deliveries } from "#durable-objects/webhook/deliveries.ts";

import { leaveBatch, refuse, refuseNoMore, rowsOf } from "../support/webhook-tables.ts";
import { deliveriesOf, newDelivery, newWebhook, statesOf } from "../support/webhook.ts";

/** Slower than the time for which accepting an event waits for its attempt. */
const SLOW = { status: 200, afterMs: 200 };

/** No response before the receiver is released. */
const HELD = { status: 200, isHeld: true };

function many(count: number, payload = "{}") {
  return Array.from({ length: count }, () => newDelivery({ payload }));
}

async function idsOf({ received }: Awaited<ReturnType<typeof newWebhook>>): Promise<string[]> {
  return (await received()).map(({ headers }) => headers["webhook-id"] ?? "").toSorted();
}

function sortedIds(deliveries: { emitId: string }[]): string[] {
  return deliveries.map(({ emitId }) => emitId).toSorted();
}

test("deliveries that come faster than they are sent are one row until each has its own", async () => {
  const webhook = await newWebhook(HELD);
  const deliveries = many(20);
  await webhook.stub.take(deliveries);
  expect(await rowsOf(webhook.stub, "batches")).toBe(1);
  await webhook.release();
  await expect.poll(() => rowsOf(webhook.stub, "batches")).toBe(0);
  expect(await rowsOf(webhook.stub, "deliveries")).toBe(20);
  expect(await idsOf(webhook)).toEqual(sortedIds(deliveries));
});

test("those without a row when the object crashed are sent after it", async () => {
  const webhook = await newWebhook(SLOW);
  const deliveries = many(20);
  await webhook.stub.take(deliveries);
  await expect.poll(() => rowsOf(webhook.stub, "deliveries")).toBeGreaterThan(0);
  const crash = runInDurableObject(webhook.stub, (_, ctx) => ctx.abort("killed"));
  await expect(crash).rejects.toThrow("killed");
  const restarted = env.WEBHOOKS.getByName(webhook.id);
  const states = () => statesOf(restarted);
  await expect.poll(states).toEqual(Array.from({ length: 20 }, () => "delivered"));
  expect(await rowsOf(restarted, "batches")).toBe(0);
  const ids = await idsOf(webhook);
  expect([...new Set(ids)]).toEqual(sortedIds(deliveries));
  // Only what was in flight is repeated.
  expect(ids.length).toBeLessThanOrEqual(26);
});

test("their owner sees them before they are sent", async () => {
  const webhook = await newWebhook(HELD);
  const deliveries = many(20);
  await webhook.stub.take(deliveries);
  const last = deliveries.at(-1) ?? newDelivery();
  expect(await webhook.stub.delivery(deliveryId(last))).toMatchObject({ state: "pending" });
  expect(await deliveriesOf(webhook.stub)).toHaveLength(20);
  await webhook.release();
  await expect
    .poll(() => statesOf(webhook.stub))
    .toEqual(Array.from({ length: 20 }, () => "delivered"));
  expect(await idsOf(webhook)).toEqual(sortedIds(deliveries));
});

test("those that arrive again meanwhile are sent once", async () => {
  const webhook = await newWebhook(SLOW);
  const deliveries = many(20);
  await webhook.stub.take(deliveries);
  await webhook.stub.take(deliveries);
  await expect.poll(() => rowsOf(webhook.stub, "batches")).toBe(0);
  await webhook.stub.take(deliveries);
  expect(await idsOf(webhook)).toEqual(sortedIds(deliveries));
});

test("an event that a call contains twice is sent once, and its batch ends", async () => {
  const webhook = await newWebhook(HELD);
  const deliveries = many(5);
  await webhook.stub.take([...deliveries, ...deliveries]);
  expect(await rowsOf(webhook.stub, "batches")).toBe(1);
  await webhook.release();
  await expect.poll(() => rowsOf(webhook.stub, "batches")).toBe(0);
  expect(await idsOf(webhook)).toEqual(sortedIds(deliveries));
});

test("batches that cannot be recovered at the start are recovered by an alarm", async () => {
  const webhook = await newWebhook();
  const deliveries = many(3);
  await leaveBatch(webhook.stub, deliveries);
  await runInDurableObject(webhook.stub, (_, { storage }) => {
    refuse(storage, "INSERT", "deliveries");
  });
  await evictDurableObject(webhook.stub);
  expect(await statesOf(webhook.stub)).toEqual([]);
  expect(await rowsOf(webhook.stub, "batches")).toBe(1);
  await runDurableObjectAlarm(webhook.stub);
  expect(await rowsOf(webhook.stub, "batches")).toBe(1);
  await runInDurableObject(webhook.stub, (_, { storage }) => refuseNoMore(storage));
  expect(await runDurableObjectAlarm(webhook.stub)).toBe(true);
  await expect.poll(() => idsOf(webhook)).toEqual(sortedIds(deliveries));
  expect(await rowsOf(webhook.stub, "batches")).toBe(0);
});

test("those of a webhook that was switched off without knowing them are given up", async () => {
  const { stub, id, url, received } = await newWebhook();
  await stub.configure({ id, url, active: false });
  await leaveBatch(stub, many(3));
  await evictDurableObject(stub);
  expect(await statesOf(stub)).toEqual(["dead", "dead", "dead"]);
  expect(await received()).toEqual([]);
});

test("an event that could not be stored is refused, and accepted later", async () => {
  const { stub, received } = await newWebhook({ status: 200, afterMs: 300 });
  const deliveries = many(3);
  await runInDurableObject(stub, async (object, { storage }) => {
    refuse(storage, "INSERT", "batches");
    const calls = [object.take(deliveries), object.take(deliveries)];
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    refuseNoMore(storage);
  });
  await stub.take(deliveries);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered", "delivered", "delivered"]);
  expect(new Set((await received()).map(({ body }) => body)).size).toBe(1);
});

test("a list of them that fails changes nothing", async () => {
  const webhook = await newWebhook(HELD);
  const deliveries = many(8);
  await webhook.stub.take(deliveries);
  await runInDurableObject(webhook.stub, async (object, { storage }) => {
    refuse(storage, "DELETE", "batches");
    const page = object.deliveries({ limit: 10 });
    refuseNoMore(storage);
    await expect(page).rejects.toThrow("full");
  });
  await webhook.release();
  await expect.poll(() => rowsOf(webhook.stub, "batches")).toBe(0);
  expect(await rowsOf(webhook.stub, "deliveries")).toBe(8);
  expect(await idsOf(webhook)).toEqual(sortedIds(deliveries));
});

test("older ones with a row are sent before newer ones in a batch", async () => {
  const { stub } = await newWebhook();
  await runInDurableObject(stub, (_, { storage }) => {
    const deliveries = new Deliveries(storage);
    const [older, ...newer] = many(4);
    if (older) deliveries.store([older]);
    deliveries.hold(newer);
    deliveries.store(newer);
    const waiting = deliveries.waiting(Date.now(), 10);
    const keys = [older, ...newer].map((each) => each?.position);
    expect(waiting.map(({ position }) => position)).toEqual(keys);
    expect(deliveries.waiting(Date.now(), 1)).toEqual(waiting.slice(0, 1));
  });
});

test("switching off gives them up", async () => {
  const { stub, id, url, received, release } = await newWebhook(HELD);
  await stub.take(many(20));
  await stub.configure({ id, url, active: false });
  await release();
  expect(await rowsOf(stub, "batches")).toBe(0);
  await expect.poll(async () => new Set(await statesOf(stub))).toEqual(new Set(["dead"]));
  expect((await received()).length).toBeLessThan(20);
});

test("large and few ones have a row each, and so have all beyond the limit of memory", async () => {
  const webhook = await newWebhook({ status: 200, afterMs: 600 });
  const { stub } = webhook;
  await stub.take(many(2));
  // More than two megabytes in a row, by their bytes and by their names.
  await stub.take(many(3, "€".repeat(250_000)));
  await stub.take(many(3).map((each) => ({ ...each, eventName: "x".repeat(700_000) })));
  expect(await rowsOf(stub, "batches")).toBe(0);
  for (const _ of Array.from({ length: 5 })) await stub.take(many(3, "x".repeat(150_000)));
  expect(await rowsOf(stub, "batches")).toBe(4);
  await expect.poll(() => rowsOf(stub, "batches")).toBe(0);
  // Sent ones make room.
  await stub.take(many(3, "x".repeat(150_000)));
  expect(await rowsOf(stub, "batches")).toBe(1);
});
