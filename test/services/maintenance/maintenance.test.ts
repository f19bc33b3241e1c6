// @suites loader

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { addEgress } from "#db/egress.ts";
import { dayOf } from "#domain/billing.ts";
import { type Id, newId } from "#domain/ids.ts";
import { keepAlarms } from "#services/maintenance/alarms.ts";
import { deleteOrphans } from "#services/maintenance/orphans.ts";
import { endRemovals } from "#services/maintenance/removals.ts";
import { sweep } from "#services/maintenance/sweep.ts";
import { forgetUsage } from "#services/maintenance/usage.ts";
import { recordUsage } from "#services/usage.ts";
import { openContext } from "#worker/bindings.ts";

import { signUp } from "../../support/client.ts";
import { sendJson } from "../../support/deploy.ts";
import { rowsIn } from "../../support/owner-tables.ts";
import { beginWalk, DAY, platformIn, positionOf, runToTheEnd } from "../../support/sweeping.ts";
import { reportOf, usedOn } from "../../support/usage.ts";

const CODE = `export default { name: "Swept", version: "0.0.1", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body); } };`;

const PLATFORM = openContext(env);

async function deployed() {
  const ada = await signUp();
  const { data } = (await ada.post("/sources", { component_code: CODE })).body;
  return {
    ada,
    id: data.id as Id<"source">,
    url: data.configured_props.http.endpoint_url as string,
  };
}

const seqOf = (table: string, id: string) =>
  env.DB.prepare(`SELECT seq FROM ${table} WHERE id = ?`).bind(id).first<number>("seq");

const all = async (query: string, ...bindings: unknown[]) =>
  (
    await env.DB.prepare(query)
      .bind(...bindings)
      .all()
  ).results;

test("deletes only subscriptions of deleted emitters and listeners", async () => {
  const { ada, id } = await deployed();
  const webhook = (await ada.post("/webhooks", { url: "http://127.0.0.1:1/" })).body.data;
  const subscribe = (emitter: string, listener: string, event = "") =>
    env.DB.prepare(
      "INSERT INTO subscriptions (id, owner_id, user_id, emitter_id, listener_id, event_name, created_at) VALUES (?, ?, ?, ?, ?, ?, 0)",
    )
      .bind(newId("subscription"), ada.user.id, ada.user.id, emitter, listener, event)
      .run();
  for (const emitter of [id, "dc_*", "p_*", ada.user.id])
    await subscribe(emitter, webhook.id, "$errors");
  const gone = { source: newId("source"), flow: newId("workflow"), webhook: newId("webhook") };
  for (const [emitter, listener] of [
    [gone.source, webhook.id],
    [gone.flow, webhook.id],
    [id, gone.source],
    [id, gone.flow],
    [id, gone.webhook],
    [newId("user"), webhook.id],
    ["dc_*", gone.webhook],
  ] as const)
    await subscribe(emitter, listener);
  const auto = (listener: string) =>
    env.DB.prepare(
      "INSERT INTO auto_subscriptions (id, owner_id, user_id, listener_id, event_name, created_at) VALUES (?, ?, ?, ?, '$logs', 0)",
    )
      .bind(newId("auto_subscription"), ada.user.id, ada.user.id, listener)
      .run();
  await auto(webhook.id);
  await auto(gone.webhook);

  const walks = ["subscriptions", "auto_subscriptions"];
  await runToTheEnd(() => deleteOrphans(PLATFORM), walks);
  const left = await all(
    "SELECT emitter_id, listener_id FROM subscriptions WHERE owner_id = ?",
    ada.user.id,
  );
  const emitters = left.map((row) => row["emitter_id"]);
  expect(new Set(emitters)).toEqual(new Set([id, "dc_*", "p_*", ada.user.id]));
  expect(
    await all("SELECT listener_id FROM auto_subscriptions WHERE owner_id = ?", ada.user.id),
  ).toEqual([{ listener_id: webhook.id }]);
  // There is no further work until tomorrow.
  expect(await deleteOrphans(PLATFORM)).toBe(0);
});

test("reads a long table page by page without omissions", async () => {
  const owner = newId("user");
  const ids = Array.from({ length: 1200 }, () => newId("subscription"));
  await env.DB.prepare(
    `INSERT INTO subscriptions (id, owner_id, user_id, emitter_id, listener_id, event_name, created_at)
     SELECT value, ?1, ?1, 'dc_gone', 'dc_' || value, '', 0 FROM json_each(?2)`,
  )
    .bind(owner, JSON.stringify(ids))
    .run();
  await beginWalk("subscriptions", String((await seqOf("subscriptions", ids[0] ?? "")) ?? 0));
  await beginWalk("auto_subscriptions", "999999999");
  // Two at once, as when one sweep outlasts its minute.
  const done = await Promise.all([deleteOrphans(PLATFORM), deleteOrphans(PLATFORM)]);
  expect(Math.max(...done)).toBeLessThanOrEqual(500);
  await runToTheEnd(() => deleteOrphans(PLATFORM), ["subscriptions", "auto_subscriptions"]);
  expect(await all("SELECT id FROM subscriptions WHERE owner_id = ?", owner)).toEqual([]);
});

test("keeps usage as long as it can be queried", async () => {
  const [ownerId, emitterId] = [newId("user"), newId("source")];
  const now = PLATFORM.now();
  const days: string[] = [];
  for (const ago of [0, 14, 16, 399, 402]) {
    const day = dayOf(now - ago * DAY);
    const report = reportOf(ownerId, emitterId, [
      { day, invocations: 5, computeMs: 5, credits: 5 },
    ]);
    await recordUsage({ ...PLATFORM, now: () => now - ago * DAY }, report);
    const sent = { requests: 1, sentBytes: 1, receivedBytes: 1, unmeasured: 0 };
    await addEgress(PLATFORM.db, [{ ownerId, day, ...sent }]);
    days.push(day);
  }
  await runToTheEnd(() => forgetUsage(PLATFORM), ["usage", "owner_usage", "egress_usage"]);
  const daysIn = (table: string) =>
    all(`SELECT day FROM ${table} WHERE owner_id = ? ORDER BY day DESC`, ownerId);
  expect(await daysIn("usage")).toEqual(days.slice(0, 2).map((day) => ({ day })));
  for (const table of ["owner_usage", "egress_usage"])
    expect(await daysIn(table)).toEqual(days.slice(0, 4).map((day) => ({ day })));

  // A repeated report of a deleted day is not counted twice.
  const [again = ""] = [days[2]];
  await recordUsage(
    PLATFORM,
    reportOf(ownerId, emitterId, [{ day: again, invocations: 6, computeMs: 6, credits: 6 }]),
  );
  expect(
    await all("SELECT invocations FROM owner_usage WHERE owner_id = ? AND day = ?", ownerId, again),
  ).toEqual([{ invocations: 5 }]);
});

test("deletes old totals in the objects of owners with usage", async () => {
  const [ownerId, webhookId] = [newId("user"), newId("webhook")];
  const now = PLATFORM.now();
  const stub = env.OWNERS.getByName(ownerId);
  const day = dayOf(now - 8 * DAY);
  const counts = { day, attempts: 1, hours: {} };
  const process = (now - 8 * DAY) * 1000;
  await stub.reportDeliveries({ ownerId, webhookId, process, days: [counts], before: [] });
  await stub.flushUsage();
  const rows = () =>
    runInDurableObject(stub, (_, { storage }) => rowsIn(storage, "delivery_reports"));
  expect(await rows()).toBe(1);
  const used = [{ day: dayOf(now), invocations: 1, computeMs: 1, credits: 1 }];
  await recordUsage(PLATFORM, reportOf(ownerId, newId("source"), used));
  await beginWalk("owner_reports", ownerId.slice(0, -1));
  await runToTheEnd(() => forgetUsage(PLATFORM), ["owner_reports"]);
  expect(await rows()).toBe(0);
});

test("reads owners in pages, whatever the number of their days", async () => {
  const prefix = `u_${newId("user").slice(2)}`;
  const owners = JSON.stringify(Array.from({ length: 700 }, (_, n) => String(n).padStart(4, "0")));
  await env.DB.prepare(
    `INSERT INTO usage SELECT ?1 || o.value, '2020-01-0' || d.value, 'dc_x', 1, 1, 1, NULL, NULL, NULL
     FROM json_each(?2) AS o, json_each('[1,2,3,4]') AS d`,
  )
    .bind(prefix, owners)
    .run();
  await runToTheEnd(() => forgetUsage(PLATFORM), ["usage", "owner_usage"]);
  expect(await all("SELECT 1 FROM usage WHERE owner_id LIKE ? || '%' LIMIT 1", prefix)).toEqual([]);
});

test("reports the usage of a source that crashed before its report and is never called again", async () => {
  const { ada, id, url } = await deployed();
  const stub = env.SOURCES.getByName(id);
  await sendJson(url, { n: 1 });
  await expect
    .poll(async () => (await ada.get(`/sources/${id}/event_summaries`)).body.data)
    .toHaveLength(1);
  // Committed but not reported: then the process crashes, and so does every retry of the alarm.
  await runInDurableObject(stub, (_, { storage }) => storage.deleteAlarm());
  await evictDurableObject(stub);
  expect(await all("SELECT invocations FROM usage WHERE emitter_id = ?", id)).toEqual([]);

  await beginWalk("alarms", `sources:${((await seqOf("sources", id)) ?? 1) - 1}`);
  expect(await keepAlarms(PLATFORM)).toBe(1);
  await runDurableObjectAlarm(stub);
  await expect
    .poll(async () => (await usedOn(ada.user.id, dayOf(PLATFORM.now()))).invocations)
    .toBe(1);
  await beginWalk("alarms", `sources:${((await seqOf("sources", id)) ?? 1) - 1}`);
  expect(await keepAlarms(PLATFORM)).toBe(0);
});

test("restores the alarm of a timer, and ends the walk over alarms", async () => {
  const ada = await signUp();
  const component_code = `export default { name: "T", version: "0.0.1", props: { timer: "$.interface.timer" }, run() {} }`;
  const { data } = (
    await ada.post("/sources", {
      component_code,
      configured_props: { timer: { intervalSeconds: 3600 } },
    })
  ).body;
  const stub = env.SOURCES.getByName(data.id);
  await runInDurableObject(stub, (_, { storage }) => storage.deleteAlarm());
  await beginWalk("alarms", `sources:${((await seqOf("sources", data.id)) ?? 1) - 1}`);
  await keepAlarms(PLATFORM);
  await expect
    .poll(() => runInDurableObject(stub, (_, { storage }) => storage.getAlarm()))
    .toBeGreaterThan(Date.now() + 3_000_000);

  await beginWalk("alarms", "sources:999999999");
  for (const next of ["workflows:0", "workflows:999999999", "webhooks:0"]) {
    if (next.endsWith(":999999999")) await beginWalk("alarms", next);
    else await keepAlarms(PLATFORM);
    expect(await positionOf("alarms")).toBe(next);
  }
  await beginWalk("alarms", "data_stores:999999999");
  await keepAlarms(PLATFORM);
  expect(await positionOf("alarms")).toBeNull();
});

test("deletes an object even if the request that deleted its resource crashed", async () => {
  const ada = await signUp();
  const webhook = (await ada.post("/webhooks", { url: "http://127.0.0.1:1/" })).body.data;
  const store = (await ada.post("/data_stores", { name: "kept" })).body.data;
  await ada.put(`/data_stores/${store.id}/records/a`, { value: 1 });
  for (const [table, id] of [
    ["webhooks", webhook.id],
    ["data_stores", store.id],
  ] as const) {
    await env.DB.prepare("INSERT INTO removals VALUES (?, 0)").bind(id).run();
    await env.DB.prepare(`DELETE FROM ${table} WHERE id = ?`).bind(id).run();
  }
  expect(await endRemovals(PLATFORM)).toBeGreaterThanOrEqual(2);
  expect(await env.WEBHOOKS.getByName(webhook.id).secrets()).toEqual([]);
  expect((await env.DATA_STORES.getByName(store.id).size()).records).toBe(0);
  expect(await all("SELECT id FROM removals WHERE id IN (?, ?)", webhook.id, store.id)).toEqual([]);
});

test("a deletion records the pending removal; a rejected one does not", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const webhook = (await ada.post("/webhooks", { url: "http://127.0.0.1:1/" })).body.data;
  const noted = () => all("SELECT id FROM removals WHERE id = ?", webhook.id);
  expect((await eve.delete(`/webhooks/${webhook.id}`)).status).toBe(404);
  expect(await noted()).toEqual([]);
  expect((await ada.delete(`/webhooks/${webhook.id}`)).status).toBe(204);
  expect(await noted()).toEqual([{ id: webhook.id }]);
});

test("a failed task is logged, and stops no other", async () => {
  const broken = new Error("no store");
  const ctx = {
    ...platformIn(2 * DAY),
    codeMaintenance: { ...PLATFORM.codeMaintenance, page: () => Promise.reject(broken) },
  };
  const swept = await sweep(ctx);
  expect(swept["code"]).toBeNull();
  for (const part of [
    "registry",
    "changes",
    "removals",
    "workflow_code",
    "scripts",
    "orphans",
    "usage",
    "alarms",
  ])
    expect([part, swept[part]]).toEqual([part, expect.any(Number)]);
});
