// @suites release
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";
import { DeliveryRoom, MAX_WAITING_BYTES } from "#durable-objects/webhook/delivery-room.ts";
import { createRouterDeps } from "#worker/queue/router-deps.ts";

import { signUp } from "../support/client.ts";
import { emittedAlerts, rowsOf } from "../support/webhook-tables.ts";
import {
  newDelivery,
  newReceiver,
  newWebhook,
  statesOf,
  type WebhookStub,
} from "../support/webhook.ts";

const large = JSON.stringify("x".repeat(1_700_000));

/** Leave so many bytes of deliveries as receivers do that respond to none; `settledMs`: of settled ones. */
async function fill(stub: WebhookStub, bytes: number, settledMs: number | null = null) {
  const count = Math.ceil(bytes / large.length);
  await runInDurableObject(stub, (_, { storage }) => {
    for (let n = 1; n <= count; n += 1)
      storage.sql.exec(
        `INSERT INTO deliveries (position, emitter_id, event_id, emit_id, event_name, payload, state, due_ms, settled_ms)
         VALUES (?, 'dc_emitter', '1-0', ?, '', ?, ?, ?, ?)`,
        n,
        `old-${n}`,
        large,
        settledMs === null ? "failed" : "dead",
        settledMs === null ? Date.now() + 1e7 : null,
        settledMs,
      );
  });
}

const relieve = (stub: WebhookStub) =>
  runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec("DELETE FROM deliveries WHERE state = 'failed'");
  });

test("a full webhook leaves events to their emitters, and alerts its owner until it is relieved", async () => {
  const user = await signUp();
  const receiver = await newReceiver({ status: 200 });
  const { body } = await user.post("/webhooks", { url: receiver.url });
  const stub = env.WEBHOOKS.getByName(body.data.id);
  await fill(stub, MAX_WAITING_BYTES);
  const router = createRouterDeps(env);
  const { eventName: channel, ...event } = newDelivery();
  const offer = () => router.deliver(body.data.id, [{ ...event, channel }], 1);
  expect(await offer()).toBe(false);
  expect(await offer()).toBe(false);
  expect(await stub.status()).toMatchObject({ active: true });
  const full = { kind: "webhook_full", recovered: false, subject: { id: body.data.id } };
  expect(await emittedAlerts(stub)).toMatchObject([full]);
  const listed = async () => (await user.get("/users/me/alerts")).body?.data;
  await expect.poll(listed).toMatchObject([{ kind: "webhook_full" }]);
  await relieve(stub);
  await expect.poll(offer).toBe(true);
  await expect.poll(receiver.received).toHaveLength(1);
  expect(await emittedAlerts(stub)).toMatchObject([full, { ...full, recovered: true }]);
});

test("a full webhook of an agent gives up, and delays no source that it shares", async () => {
  const { stub, id, url } = await newWebhook({ status: 200 });
  const subscriptionId = newId("agent_subscription");
  const agent = { subscriptionId, name: "events", after: 0, expiresAtMs: Date.now() + 1e7 };
  await stub.serve({ id, url, active: true, agent }, `whsec_${btoa("x".repeat(32))}`);
  await fill(stub, MAX_WAITING_BYTES);
  expect(await stub.take([newDelivery()])).toBe(true);
  expect(await stub.status()).toMatchObject({
    active: false,
    reason: expect.stringContaining("256 MB") as string,
  });
  expect(new Set(await statesOf(stub))).toEqual(new Set(["dead"]));
});

test("of too many bytes of settled deliveries the oldest are deleted", async () => {
  const { stub } = await newWebhook({ status: 200 });
  await fill(stub, 40e6, Date.now());
  await stub.take([newDelivery()]);
  await runInDurableObject(stub, (_, { storage }) => {
    new DeliveryRoom(storage.sql, { firstUnsettled: () => undefined }, 32e6).trim();
  });
  expect(await rowsOf(stub, "deliveries")).toBe(Math.ceil(40e6 / large.length) + 1 - 3);
});
