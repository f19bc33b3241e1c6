// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { insertByToken } from "#db/connect/connected-accounts.ts";
import { newAccountRow } from "#services/accounts.ts";
import { connectByKeys } from "#services/connect/connect-account.ts";
import { isDead, openLink } from "#services/connect/link.ts";
import { notificationsOf } from "#services/connect/notify-connection.ts";
import { sendDueNotifications } from "#services/connect/notify.ts";
import { rewrapSecrets } from "#services/key-rotation.ts";
import { openVault } from "#vault/vault.ts";

import { newBrowser } from "../support/connect.ts";
import {
  PLATFORM,
  LEASE_ENDED,
  newApp,
  newListener,
  connectAccount,
  linkOf,
  storeUnsent,
  rowsOf,
  rowsLeft,
  failedOnce,
  only,
} from "../support/notifications.ts";
import { fillIn } from "../support/pages.ts";
import { DAY, platformIn } from "../support/sweeping.ts";
import { linesOf } from "../support/telemetry.ts";
import { newReceiver } from "../support/webhook.ts";

test("deleting a webhook deletes its pending notifications, and nothing else", async () => {
  const address = await newReceiver({ status: 500 }, { status: 200 });
  const listener = await newListener({ status: 500 }, { status: 200 });
  await connectAccount(listener.customer, listener.app, { webhook_uri: address.url });
  await failedOnce(listener);
  await listener.server.delete("/webhook");
  await listener.server.put("/webhook", { url: listener.url });
  expect(await rowsOf(listener)).toHaveLength(1);
  await sendDueNotifications(platformIn(DAY));
  expect(await listener.received()).toHaveLength(1);
  expect(await address.received()).toHaveLength(2);
  expect(await rowsOf(listener)).toEqual([]);
});

test("nothing is sent for a deleted user or project, and no notification is left", async () => {
  const [ofUser, ofProject] = [await newListener({ status: 500 }), await newListener()];
  await connectAccount(ofUser.customer, ofUser.app, { webhook_uri: ofUser.url });
  await failedOnce(ofUser);
  expect((await ofUser.server.delete("/users/one")).status).toBe(204);
  expect(await rowsOf(ofUser)).toEqual([]);
  await storeUnsent(ofProject.customer, ofProject.app);
  await ofProject.connect.delete(`/projects/${ofProject.project}`);
  await sendDueNotifications(platformIn(LEASE_ENDED));
  expect(await ofProject.received()).toEqual([]);
  expect(await rowsOf(ofProject)).toEqual([]);
});

test("an outcome and its notification are stored together or not at all", async () => {
  const listener = await newListener();
  const link = await linkOf(listener.customer, listener.app);
  const owned = { ownerId: link.user.actor.id, app: listener.app, name: "Shop" };
  const account = await newAccountRow(PLATFORM, { ...owned, credentials: { api_key: "k" } });
  const [notification] = await notificationsOf(link, { ok: true, account });
  const broken = JSON.parse(JSON.stringify({ ...notification, body: null }));
  const stored = insertByToken(PLATFORM.db, link.hash, { account, notifications: [broken] });
  await expect(stored).rejects.toThrow("connect_notifications.body");
  expect((await listener.server.get("/accounts")).body.data).toEqual([]);
  expect(await rowsOf(listener)).toEqual([]);
  expect(await connectByKeys(link, new Map([["api_key", "k"]]))).toMatchObject({ ok: true });
});

test("of two simultaneous uses of one token, one is reported", async () => {
  const listener = await newListener({ status: 200 });
  const link = await linkOf(listener.customer, listener.app);
  const typed = new Map([["api_key", "k"]]);
  const both = await Promise.all([connectByKeys(link, typed), connectByKeys(link, typed)]);
  expect(both.filter(({ ok }) => ok)).toHaveLength(1);
  await rowsLeft(listener, 0);
  const { data } = (await listener.server.get("/accounts")).body;
  const events = (await listener.received()).map(({ body }) => JSON.parse(body));
  expect(events).toMatchObject([{ event: "CONNECTION_SUCCESS", account: { id: data[0].id } }]);
  const { token } = await newBrowser(listener.customer, "one");
  const renewal = await openLink(PLATFORM, token, { app: listener.app, accountId: data[0].id });
  if (isDead(renewal)) throw new Error(renewal.refusal);
  const again = await Promise.all([connectByKeys(renewal, typed), connectByKeys(renewal, typed)]);
  expect(again.filter(({ ok }) => ok)).toHaveLength(1);
  await rowsLeft(listener, 0);
  expect(await listener.received()).toHaveLength(2);
});

test("reports keys that the provider rejects, unless too many notifications of a user are pending", async () => {
  const listener = await newListener({ status: 500 });
  const { project, connect: api, customer } = listener;
  await api.as("PATCH")(`/projects/${project}`, { connect_require_key_auth_test: true });
  const app = await newApp({ test: { url: "http://127.0.0.1:1/" } });
  const { token } = await newBrowser(customer, "one");
  const refused = () => fillIn(`/connect/${token}?app=${app}`, { api_key: "key-1" });
  expect((await refused()).text).toContain("could not be reached");
  await failedOnce(listener);
  expect(JSON.parse(only(await listener.received()).body)).toMatchObject({
    event: "CONNECTION_ERROR",
    connect_token: token,
    error: expect.stringContaining("Shop"),
  });
  const copies = `WITH RECURSIVE copy (value) AS (SELECT 2 UNION ALL SELECT value + 1 FROM copy WHERE value < 100) INSERT INTO connect_notifications SELECT id || value, external_user_id, project_id, environment, url,
    body, key_id, attempts, next_attempt_at + 99999999, created_at
    FROM connect_notifications, copy WHERE project_id = ?`;
  await env.DB.prepare(copies).bind(project).run();
  const lines = await linesOf("warn", refused);
  expect(lines).toMatchObject([{ event: "connection_untold" }]);
  expect(await rowsOf(listener)).toHaveLength(100);
  await env.DB.prepare("DELETE FROM connect_notifications WHERE project_id = ?")
    .bind(project)
    .run();
});

test("a pending notification is encrypted, and re-encrypted with a new master key", async () => {
  const listener = await newListener({ status: 500 }, { status: 200 });
  const token = await connectAccount(listener.customer, listener.app);
  const row = await failedOnce(listener);
  expect(JSON.stringify(row)).not.toContain(token);
  const older = openVault({ MASTER_KEY: env.PREVIOUS_MASTER_KEYS ?? "" });
  const rotated = openVault({ MASTER_KEY: env.MASTER_KEY ?? "" });
  const place = ["connect_notification", row.id];
  await env.DB.prepare("UPDATE connect_notifications SET body = ? WHERE id = ?")
    .bind(await older.seal('{"kept":true}', place), row.id)
    .run();
  for (let after: number | null = 0; after !== null;)
    after = (await rewrapSecrets(PLATFORM, after)).next;
  const [moved] = await rowsOf(listener);
  expect(await rotated.open(moved?.body ?? "", place)).toBe('{"kept":true}');
  await sendDueNotifications(platformIn(DAY));
  expect((await listener.received()).at(-1)?.body).toBe('{"kept":true}');
});
