import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { expect, test } from "vitest";

import { deliveriesOf, newDelivery, newWebhook, statesOf } from "../support/webhook.ts";
import { watchRows } from "../support/written-rows.ts";

test("a delivery is two rows, and shares the alarm with those of ten seconds, even after an eviction", async () => {
  const { stub } = await newWebhook();
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  await evictDurableObject(stub);
  await deliveriesOf(stub);
  const written = await watchRows(stub);
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered", "delivered"]);
  expect(written()).toHaveLength(2);
});

test("an alarm after few deliveries stores no watermark", async () => {
  const { stub } = await newWebhook();
  const written = await watchRows(stub);
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  await runDurableObjectAlarm(stub);
  // Besides the delivery's: the totals of its attempts, the alarm, and the deletion of the alarm.
  expect(written()).toSatisfy((rows: string[]) => rows.length <= 5);
});
