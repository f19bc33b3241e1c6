// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { endAgentSubscriptions } from "#services/agents/subscriptions/sweep.ts";

import { later } from "../support/clock.ts";
import { undeliveredEvents } from "../support/source-tables.ts";
import { newSubscriber, webhookOf } from "../support/subscriptions.ts";
import { platformIn } from "../support/sweeping.ts";

test("a subscription lasts seven days at most, also without a requested expiry", async () => {
  const { subscribe } = await newSubscriber();
  for (const ttlMs of [null, 1e12]) {
    const { result } = await subscribe({ ttlMs });
    const days = (Date.parse(result.refreshBefore) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(7, 2);
  }
});

test.for([0, -1])("a lifetime of %d is not refused, and becomes the shortest", async (ttlMs) => {
  const { subscribe } = await newSubscriber();
  const { result } = await subscribe({ ttlMs });
  expect(Date.parse(result.refreshBefore)).toBeLessThanOrEqual(Date.now() + 1000);
});

test("an expired subscription sends nothing, cannot be ended, and is deleted", async () => {
  const { ada, orders, callback, subscribe, unsubscribe } = await newSubscriber();
  const { result: first } = await subscribe({ ttlMs: 1 });
  await later(2100, async () => {
    await orders.emit({ id: 1 });
    await expect.poll(() => undeliveredEvents(env.SOURCES.getByName(orders.id))).toBe(0);
    expect((await unsubscribe()).error).toMatchObject({
      code: -32023,
      data: { code: "not_found", kind: "subscription" },
    });
    const webhook = await webhookOf(ada);
    await endAgentSubscriptions(platformIn(0));
    expect((await ada.get(`/webhooks/${webhook}`)).status).toBe(404);
    expect(await env.WEBHOOKS.getByName(webhook).secrets()).toEqual([]);
  });
  expect(await callback.messages()).toEqual([]);
  const { result: second } = await subscribe({ cursor: first.cursor });
  expect(second.id).toBe(first.id);
  await expect.poll(callback.messages).toHaveLength(1);
  expect(await callback.challenges()).toHaveLength(2);
});
