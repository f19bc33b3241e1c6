// @suites release

import { expect, test } from "vitest";

import { newDelivery, newWebhook } from "../support/webhook.ts";

test("sends deliveries beyond the memory's limit from storage", async () => {
  const { stub } = await newWebhook();
  await stub.take(Array.from({ length: 1100 }, () => newDelivery({ payload: "1" })));
  // On a busy machine a few attempts time out, and are retried minutes later.
  const waiting = async () => (await stub.deliveries({ limit: 1, state: "pending" })).totalCount;
  await expect.poll(waiting).toBe(0);
  const delivered = await stub.deliveries({ limit: 1, state: "delivered" });
  expect(delivered.totalCount).toBeGreaterThan(1000);
});
