import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { expect, test } from "vitest";

import { deliveriesOf, newDelivery, newWebhook, statesOf } from "../support/webhook.ts";
import { watchRows } from "../support/written-rows.ts";

test("a delivery is two rows, and shares the alarm with those of ten seconds, the object evicted or not", async () => {
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

test("an alarm after few deliveries stores no floor", async () => {
  const { stub } = await newWebhook();
  const written = await watchRows(stub);
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  await runDurableObjectAlarm(stub);
  // Beside the delivery's: what its attempts add up to, the alarm, and that which forgets it.
  expect(written()).toSatisfy((rows: string[]) => rows.length <= 5);
});
