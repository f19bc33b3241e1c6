import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newDelivery, newWebhook, statesOf, type WebhookStub } from "../support/webhook.ts";

/** Leave a delivery as a crash does after it was accepted, whether or not it was sent. */
async function leaveBehind(stub: WebhookStub, emitId: string): Promise<void> {
  const { position, emitterId, eventId } = newDelivery();
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec(
      `INSERT INTO deliveries (position, emitter_id, event_id, emit_id, event_name, payload)
       VALUES (?, ?, ?, ?, '', '1')`,
      position,
      emitterId,
      eventId,
      emitId,
    );
  });
}

test("a delivery in flight during a crash is sent again, under the same id", async () => {
  const { id, stub, received } = await newWebhook({ status: 200, afterMs: 3000 }, { status: 200 });
  const delivery = newDelivery();
  await stub.take([delivery]);
  await expect.poll(received).toHaveLength(1);
  await expect(runInDurableObject(stub, (_, ctx) => ctx.abort("killed"))).rejects.toThrow("killed");
  await expect.poll(() => statesOf(env.WEBHOOKS.getByName(id))).toEqual(["delivered"]);
  const ids = (await received()).map(({ headers }) => headers["webhook-id"]);
  expect(ids).toEqual([delivery.emitId, delivery.emitId]);
});

test("stored events that were never sent are sent when the object restarts", async () => {
  const { stub, received } = await newWebhook();
  await leaveBehind(stub, "left");
  await evictDurableObject(stub);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  expect(await received()).toMatchObject([{ headers: { "webhook-id": "left" } }]);
});

test("the alarm that is set with a delivery finds unsent ones", async () => {
  const { stub } = await newWebhook();
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  await leaveBehind(stub, "left");
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered", "delivered"]);
});

test("also finds an event that is older than all sent ones", async () => {
  const { stub, received } = await newWebhook({ status: 200 }, { status: 500 });
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  await runDurableObjectAlarm(stub);
  const old = newDelivery({ position: (Date.now() - 60_000) * 1000 });
  await stub.take([old]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered", "failed"]);
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec(
      "UPDATE deliveries SET state = 'pending', due_ms = NULL WHERE position = ?",
      old.position,
    );
  });
  await evictDurableObject(stub);
  await statesOf(stub);
  await expect.poll(received).toHaveLength(3);
});

test("a due retry is sent after a crash", async () => {
  const { stub } = await newWebhook({ status: 500 }, { status: 200 });
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["failed"]);
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec("UPDATE deliveries SET due_ms = 1 WHERE due_ms NOT NULL");
  });
  await evictDurableObject(stub);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
});

test("the alarm stays set while any delivery is pending", async () => {
  const { stub } = await newWebhook({ status: 500 });
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["failed"]);
  await runDurableObjectAlarm(stub);
  const alarmMs = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
  expect(alarmMs).toBeGreaterThan(Date.now() + 3000);
  expect(alarmMs).toBeLessThan(Date.now() + 6000);
});
