import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { NewDelivery } from "#durable-objects/webhook/contract.ts";

import { later } from "../support/clock.ts";
import {
  forgetOutcome,
  leaveDelivery,
  makeRetriesDue,
  refuse,
  refuseNoMore,
} from "../support/webhook-tables.ts";
import { deliveriesOf, newDelivery, newWebhook, statesOf } from "../support/webhook.ts";

test("a delivery in flight during a crash is sent again, under the same id", async () => {
  const { id, stub, received } = await newWebhook({ status: 200, isHeld: true }, { status: 200 });
  const delivery = newDelivery();
  await stub.take([delivery]);
  await expect.poll(received).toHaveLength(1);
  await expect(runInDurableObject(stub, (_, ctx) => ctx.abort("killed"))).rejects.toThrow("killed");
  await expect.poll(() => statesOf(env.WEBHOOKS.getByName(id))).toEqual(["delivered"]);
  const ids = (await received()).map(({ headers }) => headers["webhook-id"]);
  expect(ids).toEqual([delivery.emitId, delivery.emitId]);
});

/** Send a delivery, and have the object die before it is stored. */
async function dieBeforeStoring(
  { stub, received }: Awaited<ReturnType<typeof newWebhook>>,
  delivery: NewDelivery,
): Promise<void> {
  const crash = runInDurableObject(stub, async (object, ctx) => {
    refuse(ctx.storage, "INSERT", "deliveries");
    await expect(object.take([delivery])).rejects.toThrow("full");
    await expect.poll(received).toHaveLength(1);
    ctx.abort("killed");
  });
  await expect(crash).rejects.toThrow("killed");
}

test("a delivery that was sent and not stored when the object crashed is sent again, under the same id", async () => {
  const webhook = await newWebhook();
  const delivery = newDelivery();
  await dieBeforeStoring(webhook, delivery);
  // Its emitter keeps it, and the router delivers it again.
  const restarted = env.WEBHOOKS.getByName(webhook.id);
  await runInDurableObject(restarted, (_, { storage }) => refuseNoMore(storage));
  expect(await statesOf(restarted)).toEqual([]);
  await restarted.take([delivery]);
  await expect.poll(() => statesOf(restarted)).toEqual(["delivered"]);
  const ids = (await webhook.received()).map(({ headers }) => headers["webhook-id"]);
  expect(ids).toEqual([delivery.emitId, delivery.emitId]);
});

test("a delivery that arrives twice while it is sent is sent once", async () => {
  const { stub, received } = await newWebhook({ status: 200, afterMs: 60 });
  const delivery = newDelivery();
  await Promise.all([stub.take([delivery]), stub.take([delivery])]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  expect(await received()).toHaveLength(1);
});

test("a delivery that arrives again after later ones is sent once", async () => {
  const { stub, received } = await newWebhook();
  const [first, second] = [newDelivery(), newDelivery()];
  for (const each of [first, second, first]) await stub.take([each]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered", "delivered"]);
  expect(await received()).toHaveLength(2);
});

test("switching off gives up deliveries that are being sent and not stored yet", async () => {
  const { stub, id, url, received, release } = await newWebhook({ status: 500, isHeld: true });
  const taken = stub.take(
    Array.from({ length: 8 }, () => newDelivery()),
    1000,
  );
  await expect.poll(received, { interval: 5 }).toHaveLength(6);
  await stub.configure({ id, url, active: false });
  await release();
  await taken;
  await expect.poll(() => statesOf(stub)).toEqual(Array.from({ length: 8 }, () => "dead"));
  expect(await received()).toHaveLength(6);
});

test("stored events that were never sent are sent when the object restarts", async () => {
  const { stub, received } = await newWebhook();
  await leaveDelivery(stub, newDelivery({ emitId: "left" }));
  await evictDurableObject(stub);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  expect(await received()).toMatchObject([{ headers: { "webhook-id": "left" } }]);
});

test("the alarm that is set with a delivery finds unsent ones", async () => {
  const { stub } = await newWebhook();
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  await leaveDelivery(stub, newDelivery({ emitId: "left" }));
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered", "delivered"]);
});

test("also finds an event that is older than all sent ones", async () => {
  const { stub, received } = await later(-3600_000, () =>
    newWebhook({ status: 200 }, { status: 500 }),
  );
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  await runDurableObjectAlarm(stub);
  const old = newDelivery({ position: (Date.now() - 60_000) * 1000 });
  await stub.take([old]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered", "failed"]);
  await forgetOutcome(stub, old.position);
  await evictDurableObject(stub);
  await statesOf(stub);
  await expect.poll(received).toHaveLength(3);
});

test("a due retry is sent after a crash", async () => {
  const { stub } = await newWebhook({ status: 500 }, { status: 200 });
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["failed"]);
  await makeRetriesDue(stub);
  await evictDurableObject(stub);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
});

test("the alarm stays set while any delivery is pending", async () => {
  const { stub } = await newWebhook({ status: 500 });
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["failed"]);
  await runDurableObjectAlarm(stub);
  const alarmMs = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
  expect(await deliveriesOf(stub)).toMatchObject([{ nextAttemptAtMs: alarmMs }]);
});
