import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { webhooks } from "#db/schema/tables.ts";
import { newId } from "#domain/ids.ts";

import { stopClock } from "../support/clock.ts";
import {
  failingForFiveDays,
  newDelivery,
  newWebhook,
  passTime,
  statesOf,
} from "../support/webhook.ts";

const DAY = 24 * 60 * 60 * 1000;

type Webhook = Awaited<ReturnType<typeof newWebhook>>;

const db = connect(env.DB);

/** Insert a webhook into the directory, as its creation does. */
async function list({ id, url }: Webhook): Promise<void> {
  await db.insert(webhooks).values({
    id,
    url,
    ownerId: newId("user"),
    userId: newId("user"),
    active: true,
    createdAt: 1,
    updatedAt: 1,
  });
}

async function listed({ id }: Webhook) {
  const [row] = await db.select().from(webhooks).where(eq(webhooks.id, id));
  return { active: row?.active, reason: row?.inactiveReason };
}

test("410 switches the webhook off, and fails its pending deliveries", async () => {
  const webhook = await newWebhook({ status: 500 }, { status: 410 });
  const { stub, received } = webhook;
  await list(webhook);
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["failed"]);
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["dead", "dead"]);
  const reason = "The receiver responded with 410 Gone";
  expect(await stub.status()).toMatchObject({ active: false, reason });
  await expect.poll(() => listed(webhook)).toEqual({ active: false, reason });
  await stub.take([newDelivery()]);
  expect(await statesOf(stub)).toEqual(["dead", "dead"]);
  expect(await received()).toHaveLength(2);
});

test("a webhook with only failures for five days is switched off", async () => {
  const { startMs } = stopClock();
  const { stub } = await newWebhook({ status: 500 });
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["failed"]);
  expect(await stub.status()).toMatchObject({ active: true, failingSinceMs: startMs });
  await failingForFiveDays(stub);
  await passTime(stub);
  await expect.poll(() => statesOf(stub)).toEqual(["dead"]);
  expect(await stub.status()).toMatchObject({
    active: false,
    reason: "Every delivery has failed for five days",
  });
});

test("one success ends the series of failures", async () => {
  const { stub } = await newWebhook({ status: 500 }, { status: 200 }, { status: 500 });
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["failed"]);
  await failingForFiveDays(stub);
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered", "failed"]);
  expect(await stub.status()).toEqual({ active: true, failingSinceMs: null, reason: null });
});

test("retries a failed report", async () => {
  const webhook = await newWebhook({ status: 410 });
  await list(webhook);
  await env.DB.exec("ALTER TABLE webhooks RENAME TO out_of_reach");
  await webhook.stub.take([newDelivery()]);
  await expect.poll(() => statesOf(webhook.stub)).toEqual(["dead"]);
  await runDurableObjectAlarm(webhook.stub);
  await env.DB.exec("ALTER TABLE out_of_reach RENAME TO webhooks");
  expect(await listed(webhook)).toMatchObject({ active: true });
  expect(await runDurableObjectAlarm(webhook.stub)).toBe(true);
  expect(await listed(webhook)).toMatchObject({ active: false });
});

test("switching on starts afresh, and failed deliveries can be replayed", async () => {
  const { stub, id, url, received } = await newWebhook({ status: 410 }, { status: 200 });
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["dead"]);
  expect(await stub.replay(0, Date.now() + DAY)).toBe(0);
  await stub.configure({ id, url, active: true });
  expect(await stub.status()).toEqual({ active: true, failingSinceMs: null, reason: null });
  expect(await stub.replay(0, Date.now() + DAY)).toBe(1);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  expect(await received()).toHaveLength(2);
});

test("switching off fails pending deliveries and skips new events", async () => {
  const { stub, id, url, received } = await newWebhook({ status: 500 });
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["failed"]);
  await stub.configure({ id, url, active: false });
  await stub.take([newDelivery()]);
  expect(await statesOf(stub)).toEqual(["dead"]);
  expect(await received()).toHaveLength(1);
  expect(await stub.status()).toEqual({ active: false, failingSinceMs: null, reason: null });
});

test("an attempt in flight when the webhook is switched off still counts", async () => {
  const { stub, id, url, received, release } = await newWebhook({ status: 200, isHeld: true });
  await stub.take([newDelivery()]);
  await expect.poll(received).toHaveLength(1);
  await stub.configure({ id, url, active: false });
  expect(await statesOf(stub)).toEqual(["dead"]);
  await release();
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
});
