import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { expect, test } from "vitest";

import { deliveriesOf, newDelivery, newWebhook, statesOf } from "../support/webhook.ts";
import { watchAllRows } from "../support/written-rows.ts";

/** No response before the receiver is released. */
const HELD = { status: 200, isHeld: true };

/** A webhook that was evicted after its first delivery, and the rows that it has written since then. */
async function wokenWebhook(...replies: Parameters<typeof newWebhook>) {
  const { stub, release } = await newWebhook(...replies);
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  await evictDurableObject(stub);
  await deliveriesOf(stub);
  const written = await watchAllRows(stub);
  return { stub, written, release };
}

test("a delivery is one row, even after an eviction", async () => {
  // One whose response takes longer than 100 ms has more.
  const rows = async () => {
    const { stub, written } = await wokenWebhook();
    await stub.take([newDelivery()]);
    await expect.poll(() => statesOf(stub)).toEqual(["delivered", "delivered"]);
    return written().length;
  };
  await expect.poll(rows).toBe(1);
});

test("a delivery that takes longer is two rows, and the alarm that looks after it", async () => {
  const { stub, written, release } = await wokenWebhook({ status: 200 }, HELD);
  await stub.take([newDelivery()]);
  expect(await statesOf(stub)).toEqual(["pending", "delivered"]);
  await release();
  await expect.poll(() => statesOf(stub)).toEqual(["delivered", "delivered"]);
  expect(written()).toHaveLength(3);
});

test("twenty deliveries of a call that take longer are a row each, and two for all", async () => {
  const { stub, written, release } = await wokenWebhook({ status: 200 }, HELD);
  await stub.take(Array.from({ length: 20 }, () => newDelivery()));
  await release();
  // And the alarm that looks after them. A list would write rows of its own while any is not sent.
  await expect.poll(() => written().length).toBe(23);
  expect(await statesOf(stub)).toEqual(Array.from({ length: 21 }, () => "delivered"));
  expect(written()).toHaveLength(23);
});

test("one of many listeners waits longer for a slow response, and writes one row", async () => {
  const { stub, written } = await wokenWebhook({ status: 200 }, { status: 200, afterMs: 150 });
  await stub.take([newDelivery()], 1000);
  expect(await statesOf(stub)).toEqual(["delivered", "delivered"]);
  expect(written()).toHaveLength(1);
});

test("an alarm after few deliveries stores no watermark", async () => {
  const { stub } = await newWebhook();
  const written = await watchAllRows(stub);
  // Waits for a second: a response that takes longer costs more rows.
  await stub.take([newDelivery()], 1000);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  await runDurableObjectAlarm(stub);
  // Beside the delivery's: the alarm that deletes it after a week, set once before and once after it rang.
  expect(written()).toHaveLength(3);
});
