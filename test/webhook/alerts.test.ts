import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";
import { emittedAlerts, refuse, refuseNoMore } from "../support/webhook-tables.ts";
import { newDelivery, newReceiver } from "../support/webhook.ts";

async function setUp() {
  const user = await signUp();
  const broken = await newReceiver({ status: 410 });
  const person = await newReceiver({ status: 200 });
  const { body: hook } = await user.post("/webhooks", { url: broken.url });
  const { body: listener } = await user.post("/webhooks", { url: person.url });
  const id = hook.data.id as `wh_${string}`;
  const received = async () => (await person.received()).map((one) => JSON.parse(one.body));
  return {
    user,
    id,
    listenerId: listener.data.id as string,
    received,
    stub: env.WEBHOOKS.getByName(id),
  };
}

test("a switched-off webhook alerts its owner once, and again once when it is active again", async () => {
  const { user, id, listenerId, received, stub } = await setUp();
  for (const emitter_id of [id, user.user.id]) {
    const link = { emitter_id, listener_id: listenerId, event_name: "$alerts" };
    expect(await user.post("/subscriptions", link)).toMatchObject({ status: 200 });
  }
  await stub.take([newDelivery(), newDelivery()]);
  const off = { kind: "webhook_disabled", recovered: false, subject: { type: "webhook", id } };
  await expect.poll(received).toMatchObject([off]);
  expect(await emittedAlerts(stub)).toHaveLength(1);
  expect(await user.put(`/webhooks/${id}`, { active: true })).toMatchObject({ status: 200 });
  await expect.poll(received).toMatchObject([off, { kind: "webhook_disabled", recovered: true }]);
  await user.put(`/webhooks/${id}`, { active: true });
  expect(await emittedAlerts(stub)).toHaveLength(2);
});

test("an owner who switches off a webhook gets no alert", async () => {
  const { user, id, stub } = await setUp();
  await user.put(`/webhooks/${id}`, { active: false });
  await user.put(`/webhooks/${id}`, { active: true });
  expect(await emittedAlerts(stub)).toEqual([]);
});

test("a webhook is not switched off if its alert cannot be stored", async () => {
  const { stub } = await setUp();
  await runInDurableObject(stub, (_, { storage }) => refuse(storage, "INSERT", "events"));
  await stub.take([newDelivery()]);
  const attempts = async () => (await stub.deliveries({ limit: 10 })).deliveries;
  await expect.poll(attempts).toMatchObject([{ attempts: [{ status: 410 }] }]);
  expect(await stub.status()).toMatchObject({ active: true });
  await runInDurableObject(stub, (_, { storage }) => refuseNoMore(storage));
  await stub.take([newDelivery()]);
  await expect.poll(() => stub.status()).toMatchObject({ active: false });
  expect(await emittedAlerts(stub)).toMatchObject([{ kind: "webhook_disabled", recovered: false }]);
});

test("a webhook emits only alerts", async () => {
  const { user, id, listenerId } = await setUp();
  const link = { emitter_id: id, listener_id: listenerId };
  expect(await user.post("/subscriptions", link)).toMatchObject({ status: 400 });
});
