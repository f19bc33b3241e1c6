// @suites loader

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { Id } from "#domain/ids.ts";
import type { KeptObject } from "#services/backup.ts";

import { forgetSource, keptOf, restore } from "../support/backup.ts";
import { operator, ORIGIN, request, signUp } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { runsCommitted } from "../support/source-tables.ts";
import { settleAllWorkflows } from "../support/sweeping.ts";
import { newReceiver } from "../support/webhook.ts";
import { deployWorkflow } from "../support/workflow.ts";

const SOURCE = `export default { name: "Kept", version: "0.0.1",
  props: { http: "$.interface.http", db: "$.service.db" },
  hooks: { activate() { if (this.db.get("broken")) throw new Error("not now"); } },
  run({ body }) { this.db.set("last", body); if (body.breaks) this.db.set("broken", true); this.$emit({ last: body }); } };`;

async function deployed() {
  const ada = await signUp();
  const { data } = (await ada.post("/sources", { component_code: SOURCE })).body;
  return {
    ada,
    id: data.id as Id<"source">,
    url: data.configured_props.http.endpoint_url as string,
  };
}

test("only the operator makes a backup", async () => {
  const { user } = await signUp();
  for (const [method, path] of [
    ["POST", "/seal"],
    ["POST", "/check"],
    ["GET", "/objects/sources"],
    ["PUT", "/objects/sources"],
    ["GET", "/files/code"],
    ["GET", `/files/code/${"a".repeat(64)}`],
    ["PUT", `/files/code/${"a".repeat(64)}`],
    ["GET", "/imports"],
    ["GET", "/imports/ri_1"],
    ["PUT", "/imports/ri_1"],
  ] as const)
    for (const headers of [{}, { authorization: `Bearer ${user.api_key}` }])
      expect([path, (await request(method, `/admin/backup${path}`, { headers })).status]).toEqual([
        path,
        401,
      ]);
});

test("names the fault of an invalid request", async () => {
  const digest = "a".repeat(64);
  expect(await operator.post("/backup/seal", { digest: "b" })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("digest") },
  });
  expect(await operator.post("/backup/seal", "{")).toMatchObject({ status: 400 });
  expect(await operator.get("/backup/objects/users")).toMatchObject({
    status: 404,
    body: { error: "There is no /admin/backup/objects/users" },
  });
  expect(await operator.get("/backup/objects/sources?after=x")).toMatchObject({ status: 400 });
  expect(await operator.get("/backup/files/tarballs")).toMatchObject({ status: 404 });
  expect(await operator.get(`/backup/files/code/${digest}`)).toMatchObject({ status: 404 });
  expect(await operator.put(`/backup/files/code/..%2f${digest}`, "x")).toMatchObject({
    status: 404,
  });
  expect(await operator.post("/backup/check", { digest, seal: "v1.x.y.z" })).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining("MASTER_KEY") },
  });
  const { seal } = (await operator.post("/backup/seal", { digest })).body.data;
  expect(await operator.post("/backup/check", { digest, seal })).toMatchObject({ status: 204 });
  expect(await operator.post("/backup/check", { digest: "b".repeat(64), seal })).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining("was changed") },
  });
});

test("restores a source with its state, once", async () => {
  const { ada, id, url } = await deployed();
  await sendJson(url, { n: 1 });
  await runsCommitted(id);
  const kept = await keptOf("sources", id);
  expect(JSON.stringify(kept)).not.toContain("bundleHash");
  expect(await restore("sources", kept)).toEqual({ restored: 0, present: 1, failed: [] });

  await forgetSource(id);
  expect((await sendJson(url, {})).status).toBe(404);
  expect(await restore("sources", kept)).toEqual({ restored: 1, present: 0, failed: [] });
  const snapshot = JSON.parse((await env.SOURCES.getByName(id).snapshot()) ?? "{}");
  expect(snapshot).toMatchObject({
    active: true,
    db: { last: '{"n":1}' },
    deployment: { origin: ORIGIN },
  });
  expect((await sendJson(url, { n: 2 })).status).toBe(200);
  await expect
    .poll(async () => (await ada.get(`/sources/${id}/event_summaries?expand=event`)).body.data)
    .toMatchObject([{ event: { last: { n: 2 } } }]);
});

test("restores a source with a failing activate hook, and records the failure among its errors", async () => {
  const { ada, id, url } = await deployed();
  expect((await sendJson(url, { breaks: true })).status).toBe(200);
  await runsCommitted(id);
  const kept = await keptOf("sources", id);
  await forgetSource(id);
  expect(await restore("sources", kept)).toMatchObject({ restored: 1 });
  expect((await sendJson(url, {})).status).toBe(200);
  await runsCommitted(id);
  const { body } = await ada.get(`/sources/${id}/$errors/event_summaries?expand=event`);
  expect(JSON.stringify(body.data)).toContain("not now");
});

test("restores a data store with the times of its records, and overwrites no newer record", async () => {
  const ada = await signUp();
  const { id } = (await ada.post("/data_stores", { name: "kept" })).body.data;
  const put = (key: string, value: unknown, ttl?: number) =>
    ada.put(`/data_stores/${id}/records/${encodeURIComponent(key)}`, { value, ttl });
  const long = "x".repeat(700_000);
  for (const [key, value] of [
    ["a", long],
    ["b", long],
    ["c/é", { n: 1 }],
  ] as const)
    await put(key, value);
  await put("soon", 1, 3600);
  const tail = async () => (await env.DATA_STORES.getByName(id).stretch("b")).records;
  const before = await tail();
  const kept: KeptObject[] = [];
  for (let after: string | null = ""; after !== null;) {
    const { body } = await operator.get(`/backup/records/${id}?after=${encodeURIComponent(after)}`);
    kept.push(...body.data.objects);
    after = body.data.next;
  }
  expect(kept.length).toBeGreaterThan(1);
  await env.DATA_STORES.getByName(id).remove();
  expect((await restore("records", ...kept)).failed).toHaveLength(kept.length);
  await restore("data_stores", { id, sealed: kept[0]?.sealed ?? "" });
  await put("a", "newer");
  expect(await restore("records", ...kept)).toMatchObject({ restored: kept.length, failed: [] });
  expect(await restore("records", ...kept)).toMatchObject({ present: kept.length, failed: [] });
  expect(await tail()).toEqual(before);
  expect((await ada.get(`/data_stores/${id}/records/a`)).body.data.value).toBe("newer");
  expect((await env.DATA_STORES.getByName(id).size()).records).toBe(4);
  expect(await operator.get("/backup/records/wh_1")).toMatchObject({ status: 404 });
});

test("does not restore an emitter that the directory does not list", async () => {
  const { ada, id } = await deployed();
  const kept = await keptOf("sources", id);
  await ada.delete(`/sources/${id}`);
  expect(await restore("sources", kept)).toEqual({ restored: 0, present: 0, failed: [] });
  expect(await env.SOURCES.getByName(id).current()).toBeNull();
});

test("rejects the backup of one source for another", async () => {
  const [one, two] = [await deployed(), await deployed()];
  const kept = await keptOf("sources", one.id);
  await forgetSource(two.id);
  const { failed } = await restore("sources", { ...kept, id: two.id } as KeptObject);
  expect(failed).toEqual([{ id: two.id, reason: expect.stringContaining("was changed or moved") }]);
  expect(await env.SOURCES.getByName(two.id).current()).toBeNull();
});

test("a backup does not include a running change", async () => {
  const { ada, id } = await deployed();
  const gate = await newReceiver({ status: 204, isHeld: true });
  const slow = SOURCE.replace("run({", "async run({").replace(
    "hooks: { activate() {",
    `hooks: { async activate() { await fetch("${gate.url}", { method: "POST" });`,
  );
  const update = ada.put(`/sources/${id}`, { component_code: slow });
  const stub = env.SOURCES.getByName(id);
  const bundleOf = (text: string | null) => JSON.parse(text ?? "{}").deployment?.bundleHash;
  const before = bundleOf(await stub.snapshot());
  const phase = () =>
    runInDurableObject(
      stub,
      (_, { storage }) => storage.kv.get<{ phase: string }>("status")?.phase,
    );
  await expect.poll(gate.received).toHaveLength(1);
  expect(await phase()).toBe("changing");
  expect(bundleOf(await stub.snapshot())).toBe(before);
  await gate.release();
  expect((await update).status).toBe(200);
  expect(bundleOf(await stub.snapshot())).not.toBe(before);
});

test("a restored webhook signs with its old secrets, and a restored workflow runs its old steps", async () => {
  const ada = await signUp();
  const webhook = (await ada.post("/webhooks", { url: "http://127.0.0.1:1/" })).body.data;
  await ada.post(`/webhooks/${webhook.id}/rotate_secret`);
  const secrets = await env.WEBHOOKS.getByName(webhook.id).secrets();
  expect(secrets).toHaveLength(2);
  const keptHook = await keptOf("webhooks", webhook.id);
  await env.WEBHOOKS.getByName(webhook.id).remove();
  expect(await restore("webhooks", keptHook)).toMatchObject({ restored: 1 });
  expect(await restore("webhooks", keptHook)).toMatchObject({ present: 1 });
  expect(await env.WEBHOOKS.getByName(webhook.id).secrets()).toEqual(secrets);
  expect((await ada.get(`/webhooks/${webhook.id}`)).body.data).toMatchObject({ active: true });

  const flow = await deployWorkflow({
    steps: [{ name: "one", component_code: "export default { run() {} }" }],
  });
  const path = `/workflows/${flow.id}`;
  expect((await operator.put(path, { name: "Second" })).body.data.version).toBe(2);
  const keptFlow = await keptOf("workflows", flow.id);
  const before = await flow.stub.current();
  await flow.stub.remove();
  expect(await restore("workflows", keptFlow)).toMatchObject({ restored: 1 });
  expect(await restore("workflows", keptFlow)).toMatchObject({ present: 1 });
  expect(JSON.parse((await flow.stub.current()) ?? "{}")).toEqual({
    ...JSON.parse(before ?? "{}"),
    deployedMs: 0,
  });
  expect((await flow.user.post(`${path}/runs`, { event: {} })).body.data.version).toBe(2);
  expect((await operator.post(`${path}/versions/1/restore`)).body.data.version).toBe(3);
  expect((await flow.user.post(`${path}/runs`, { event: {} })).body.data.version).toBe(3);
});

test("a restored workflow is updated to the directory's version if that differs", async () => {
  const STEP = { name: "one", component_code: "export default () => 1" };
  const flow = await deployWorkflow({ steps: [STEP] });
  const row = () => env.DB.prepare("SELECT * FROM workflows WHERE id = ?").bind(flow.id).first();
  const [first, keptFirst] = [await row(), await keptOf("workflows", flow.id)];
  await operator.put(`/workflows/${flow.id}`, { name: "Second" });
  const [second, keptSecond] = [await row(), await keptOf("workflows", flow.id)];
  for (const [listed, kept] of [
    [second, keptFirst],
    [first, keptSecond],
  ] as const) {
    await flow.stub.remove();
    const { deployment_id: id, name, version, deployed_ms: deployedMs } = listed ?? {};
    await env.DB.prepare(
      `UPDATE workflows SET deployment_id = ?2, name = ?3, version = ?4, deployed_ms = ?5, updated_at = 1 WHERE id = ?1`,
    )
      .bind(flow.id, id, name, version, deployedMs)
      .run();
    expect(await restore("workflows", kept)).toMatchObject({ restored: 1 });
    await settleAllWorkflows();
    const current = JSON.parse((await flow.stub.current()) ?? "{}");
    expect(current).toMatchObject({ id, name, version });
  }
});
