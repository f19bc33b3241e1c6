// @suites loader

import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";

import { dueNotifications } from "#db/connect/notifications.ts";
import { MAX_CONNECTIONS } from "#domain/concurrency.ts";
import { newId, newToken } from "#domain/ids.ts";
import { sendDueNotifications } from "#services/connect/notify.ts";
import { sweep } from "#services/maintenance/sweep.ts";

import { newCustomer } from "../support/connect.ts";
import {
  PLATFORM,
  LEASE_ENDED,
  newApp,
  newListener,
  connectAccount,
  storeUnsent,
  rowsOf,
  rowsLeft,
  failedOnce,
  only,
  idsOf,
} from "../support/notifications.ts";
import { DAY, platformIn } from "../support/sweeping.ts";
import { linesOf } from "../support/telemetry.ts";
import { newReceiver } from "../support/webhook.ts";

const DEVELOPMENT = { "x-pd-environment": "development" };

test("an outcome is sent at once: signed to its environment's webhook, and to the token's address", async () => {
  const { customer, app, key, received, project, server } = await newListener({ status: 200 });
  const [elsewhere, address] = [await newReceiver(), await newReceiver()];
  await server.put("/webhook", { url: elsewhere.url }, DEVELOPMENT);
  const token = await connectAccount(customer, app, { webhook_uri: address.url });
  await rowsLeft({ project }, 0);
  const { headers, body } = only(await received());
  const other = only(await address.received());
  expect(JSON.parse(body)).toMatchObject({
    event: "CONNECTION_SUCCESS",
    connect_token: token,
    environment: "production",
    user: { external_id: "one" },
    account: { id: expect.stringMatching(/^apn_/), app: { name_slug: app }, healthy: true },
  });
  expect(new Webhook(key).verify(body, headers)).toEqual(JSON.parse(body));
  expect(headers["x-pd-signature"]).toMatch(/^t=\d+,v1=[\da-f]{64}$/);
  expect(other.body).toBe(body);
  expect(other.headers["webhook-id"]).toMatch(/^\w{22}$/);
  expect(other.headers["webhook-id"]).not.toBe(headers["webhook-id"]);
  expect(other.headers).not.toHaveProperty("webhook-signature");
  expect(await elsewhere.received()).toEqual([]);
});

test("an outcome without a recipient stores nothing", async () => {
  const [customer, app] = [await newCustomer(), await newApp()];
  await connectAccount(customer, app);
  expect(await rowsOf(customer)).toEqual([]);
});

test("after a failed attempt, a later sweep sends the outcome once, under the same id", async () => {
  const listener = await newListener({ status: 503 }, { status: 200 });
  await connectAccount(listener.customer, listener.app);
  const row = await failedOnce(listener);
  const waitSeconds = row.next_attempt_at - row.created_at;
  expect(waitSeconds).toBeGreaterThanOrEqual(4);
  expect(waitSeconds).toBeLessThanOrEqual(20);
  await sweep(platformIn(LEASE_ENDED));
  await sendDueNotifications(platformIn(DAY));
  const received = await listener.received();
  expect(idsOf(received)).toEqual([row.id, row.id]);
  expect(received[1]?.body).toBe(received[0]?.body);
  for (const { headers, body } of received)
    expect(() => new Webhook(listener.key).verify(body, headers)).not.toThrow();
  expect(await rowsOf(listener)).toEqual([]);
});

test("a sweep sends a notification that a crash left unsent", async () => {
  const listener = await newListener({ status: 200 });
  await storeUnsent(listener.customer, listener.app);
  await sendDueNotifications(PLATFORM);
  expect(await listener.received()).toEqual([]);
  await sendDueNotifications(platformIn(LEASE_ENDED));
  const received = only(await listener.received());
  const event = { event: "CONNECTION_ERROR", user: { external_id: "one" }, error: "Shop refuses." };
  expect(JSON.parse(received.body)).toMatchObject(event);
  expect(await rowsOf(listener)).toEqual([]);
});

test("concurrent sweeps, or a sweep during a request, send a notification once", async () => {
  const listener = await newListener({ status: 200, afterMs: 300 });
  await connectAccount(listener.customer, listener.app);
  await sendDueNotifications(PLATFORM);
  await rowsLeft(listener, 0);
  expect(await listener.received()).toHaveLength(1);
  for (let count = 0; count < 3; count += 1) await storeUnsent(listener.customer, listener.app);
  const sweeps = Array.from({ length: 4 }, () => sendDueNotifications(platformIn(LEASE_ENDED)));
  const sent = (await Promise.all(sweeps)).reduce((sum, count) => sum + count, 0);
  expect(sent).toBeGreaterThanOrEqual(3);
  const ids = idsOf(await listener.received());
  expect(ids).toHaveLength(4);
  expect(new Set(ids).size).toBe(4);
});

test("a notification is dropped and logged after its last attempt", async () => {
  const listener = await newListener({ status: 500 });
  await connectAccount(listener.customer, listener.app);
  const first = await failedOnce(listener);
  const waits: number[] = [];
  const lines = await linesOf("warn", async () => {
    for (let days = 1; days <= 9; days += 1) {
      const platform = platformIn(days * DAY);
      await sendDueNotifications(platform);
      const [row] = await rowsOf(listener);
      if (row) waits.push((row.next_attempt_at - platform.now()) / 60);
    }
  });
  expect(idsOf(await listener.received())).toEqual(Array.from({ length: 8 }, () => first.id));
  for (const [index, minutes] of [5, 30, 120, 300, 600, 840].entries()) {
    expect(waits[index]).toBeGreaterThan(minutes * 0.75);
    expect(waits[index]).toBeLessThan(minutes * 1.25);
  }
  expect(waits).toHaveLength(6);
  const own = lines.filter((line) => line["owner_id"] === first.external_user_id);
  expect(own).toMatchObject([{ event: "connection_untold", attempt: 8 }]);
  expect(JSON.stringify(own)).not.toContain(listener.url);
  expect(await rowsOf(listener)).toEqual([]);
});

test("the Retry-After of a receiver sets the time of the next attempt", async () => {
  const headers = { "retry-after": "7200" };
  const listener = await newListener({ status: 429, headers }, { status: 200 });
  await connectAccount(listener.customer, listener.app);
  await failedOnce(listener);
  await sendDueNotifications(platformIn(7100));
  expect(await listener.received()).toHaveLength(1);
  await sendDueNotifications(platformIn(7300));
  expect(await listener.received()).toHaveLength(2);
});

test("a redirect and an unreachable address are failures", async () => {
  const target = await newReceiver();
  const listener = await newListener({ status: 302, headers: { location: target.url } });
  const address = { webhook_uri: "http://127.0.0.1:1/" };
  await connectAccount(listener.customer, listener.app, address);
  await failedOnce(listener);
  expect(await rowsOf(listener)).toHaveLength(2);
  expect(await target.received()).toEqual([]);
  await sendDueNotifications({ ...platformIn(DAY), allowPrivateTargets: false });
  expect(await listener.received()).toHaveLength(1);
  expect((await rowsOf(listener)).map(({ attempts }) => attempts)).toEqual([2, 2]);
});

test("a pending notification uses the webhook's current URL and key", async () => {
  const listener = await newListener({ status: 500 });
  await connectAccount(listener.customer, listener.app);
  await failedOnce(listener);
  const moved = await newReceiver({ status: 200 });
  await listener.server.put("/webhook", { url: moved.url });
  const { body } = await listener.server.post("/webhook/regenerate_signing_key");
  await sendDueNotifications(platformIn(DAY));
  const { headers, body: text } = only(await moved.received());
  expect(() => new Webhook(body.data.signing_key).verify(text, headers)).not.toThrow();
  expect(() => new Webhook(listener.key).verify(text, headers)).toThrow("No matching signature");
  expect(idsOf(await listener.received())).toEqual(idsOf(await moved.received()));
});

test("a sweep sends over a few connections", async () => {
  const listener = await newListener({ status: 200, isHeld: true });
  for (let count = 0; count < 8; count += 1) await storeUnsent(listener.customer, listener.app);
  const sending = sendDueNotifications(platformIn(LEASE_ENDED));
  await expect.poll(listener.received).toHaveLength(MAX_CONNECTIONS);
  // The requests of another sweep, which finds nothing, come after any more of this one.
  await sweep(platformIn(0));
  expect(await listener.received()).toHaveLength(MAX_CONNECTIONS);
  await listener.release();
  await sending;
  expect(await listener.received()).toHaveLength(8);
});

test("a project with many due notifications does not delay another", async () => {
  const insert = env.DB.prepare(
    "INSERT INTO connect_notifications VALUES (?, ?, ?, 'production', NULL, '', '', 0, ?, 0)",
  );
  const [user, busy, quiet] = [newId("external_user"), newId("project"), newId("project")];
  const ids = Array.from({ length: 20 }, () => newToken());
  const last = newToken();
  await env.DB.batch([
    ...ids.map((id, index) => insert.bind(id, user, busy, index - 1000)),
    insert.bind(last, user, quiet, -1),
  ]);
  expect(await dueNotifications(PLATFORM.db, 0, 3)).toEqual([ids[0], last, ids[1]]);
  expect(await dueNotifications(PLATFORM.db, -2, 3)).toEqual(ids.slice(0, 3));
  await sendDueNotifications(PLATFORM);
  const left = "SELECT count(*) AS count FROM connect_notifications WHERE external_user_id = ?";
  expect(await env.DB.prepare(left).bind(user).first("count")).toBe(0);
});
