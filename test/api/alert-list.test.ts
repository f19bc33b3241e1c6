// @suites loader

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { recordAlerts } from "#db/alerts.ts";
import { connect } from "#db/client.ts";

import { alertsOf, GITHUB, sourceWith, alertEventsOf } from "../support/alerts.ts";
import { signUp, workspaceOf } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { newDelivery, newReceiver } from "../support/webhook.ts";

test("alerts are listed in pages and counted, for members of their owner alone", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, bob);
  const { id } = (await ada.post("/accounts", { ...GITHUB, org_id: workspace })).body.data;
  const sources = [];
  for (let each = 0; each < 3; each += 1)
    sources.push(await sourceWith(ada, id, { org_id: workspace, name: `s-${each}` }));
  await ada.delete(`/accounts/${id}?force=true`);
  const path = `/workspaces/${workspace}/alerts`;
  await expect.poll(async () => (await bob.get(path)).body.page_info.total_count).toBe(3);
  expect(await alertsOf(ada)).toEqual([]);
  const { body: first } = await bob.get(`/orgs/${workspace}/alerts?limit=2`);
  const { body: second } = await bob.get(`${path}?limit=2&after=${first.page_info.end_cursor}`);
  const listed = [...first.data, ...second.data];
  expect(new Set(listed.map(({ subject }) => subject.id))).toEqual(
    new Set(sources.map((source) => source.id)),
  );
  expect(listed[0]).toMatchObject({
    owner_id: workspace,
    count: 1,
    since: expect.any(String),
    message: expect.any(String),
  });
  expect((await eve.get(path)).status).toBe(404);
  expect((await ada.get("/users/me/alerts?state=none")).status).toBe(400);
  for (const source of sources)
    expect((await ada.delete(`/sources/${source.id}`)).status).toBe(204);
  expect((await bob.get(`${path}?state=all`)).body.data).toEqual([]);
});

test("a switched-off webhook is listed until it is active again", async () => {
  const ada = await signUp();
  const receiver = await newReceiver({ status: 410 });
  const { body } = await ada.post("/webhooks", { url: receiver.url, name: "Hook" });
  const { id } = body.data;
  await env.WEBHOOKS.getByName(id).take([newDelivery()]);
  await expect
    .poll(() => alertsOf(ada))
    .toMatchObject([{ kind: "webhook_disabled", subject: { type: "webhook", id, name: "Hook" } }]);
  await ada.put(`/webhooks/${id}`, { active: true });
  await expect.poll(() => alertsOf(ada)).toEqual([]);
  expect(await alertsOf(ada, "?state=all")).toMatchObject([{ subject: { id } }]);
});

test("an open alert counts further failures, and reports them even after a crash", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/sources", {
    component_code: `export default { name: "Moody", version: "1", props: { http: "$.interface.http" },
      run({ body }) { if (body.fail) throw new TypeError(body.fail); } }`,
  });
  const { id, configured_props } = body.data;
  const stub = env.SOURCES.getByName(id);
  const fail = async (times: number, text: string) => {
    for (let each = 0; each < times; each += 1)
      await sendJson(configured_props.http.endpoint_url, { fail: text });
  };
  await fail(10, "first");
  await evictDurableObject(stub);
  const failing = { kind: "failing", subject: { type: "source", id } };
  await expect
    .poll(() => alertsOf(ada))
    .toMatchObject([{ ...failing, count: 10, error: { name: "TypeError", message: "first" } }]);
  await fail(3, "last");
  await expect
    .poll(
      async () => (await stub.events({ limit: 1, channel: "$errors", expand: false })).totalCount,
    )
    .toBe(13);
  // The count is not reported for each of them: the next report is due in ten minutes.
  expect(await alertsOf(ada)).toMatchObject([{ ...failing, count: 10 }]);
  await runInDurableObject(stub, (_, { storage }) => {
    const kept = storage.kv.get<{ reportDueMs: number }>("alerts");
    expect(kept?.reportDueMs).toBeGreaterThan(Date.now() + 500_000);
    storage.kv.put("alerts", { ...kept, reportDueMs: Date.now() });
  });
  await evictDurableObject(stub);
  await stub.recover();
  expect(await alertsOf(ada)).toMatchObject([
    { ...failing, count: 13, error: { message: "last" } },
  ]);
  expect(await alertEventsOf(ada, `/sources/${id}`)).toHaveLength(1);
});

test("an alert that an older release opened is listed after its next check", async () => {
  const ada = await signUp();
  const { id } = (await ada.post("/accounts", GITHUB)).body.data;
  const source = await sourceWith(ada, id);
  const stub = env.SOURCES.getByName(source.id);
  const late = { kind: "late", about: "timer", sinceMs: 1000, message: "m", details: {} };
  await runInDurableObject(stub, (_, { storage }) => {
    storage.kv.put("alerts", { failures: null, open: [late] });
  });
  await evictDurableObject(stub);
  await stub.recover();
  const listed = [{ kind: "late", subject: { id: source.id }, since: "1970-01-01T00:00:01.000Z" }];
  expect(await alertsOf(ada)).toMatchObject(listed);
  const kept = () => runInDurableObject(stub, (_, { storage }) => storage.kv.get("alerts"));
  expect(await kept()).toEqual({ version: 0, failures: null, open: [late] });
  await stub.recover();
  expect(await alertsOf(ada)).toMatchObject(listed);
});

test("a late report changes nothing, and only the latest 20 ended alerts are kept", async () => {
  const ada = await signUp();
  const { id } = (await ada.post("/accounts", GITHUB)).body.data;
  const source = await sourceWith(ada, id);
  const report = (version: number, sinceMs?: number) => {
    const alert = { kind: "failing", about: "", message: "m", error: null, count: 1 } as const;
    const open = sinceMs === undefined ? [] : [{ ...alert, sinceMs }];
    return recordAlerts(connect(env.DB), { subjectId: source.id, version, open }, Date.now());
  };
  await report(10, 1);
  await report(12);
  await report(11, 1);
  expect(await alertsOf(ada)).toEqual([]);
  for (let each = 1; each <= 25; each += 1) {
    await report(10 + each * 10, each * 100);
    await report(11 + each * 10);
  }
  expect(await alertsOf(ada, "?state=ended&limit=100")).toHaveLength(20);
  await recordAlerts(connect(env.DB), { subjectId: "dc_gone", version: 1, open: [] }, Date.now());
});
