// @suites loader
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { Id } from "#domain/ids.ts";

import { operator, signUp } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { newReceiver } from "../support/webhook.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

const EMITTING = `export default { name: "Emitting", version: "1", props: { http: "$.interface.http" },
  run({ body }) { for (let n = 0; n < body.megabytes; n += 1) this.$emit("x".repeat(1e6)); } }`;

async function deploy(client: Client) {
  const { body } = await client.post("/sources", { component_code: EMITTING });
  const id = body.data.id as Id<"source">;
  return { id, url: body.data.configured_props.http.endpoint_url as string };
}

const setQuota = ({ user }: Client, storage_quota: number) =>
  operator.put(`/users/${user.id}/quotas`, { storage_quota });

const storedBytes = async (client: Client) =>
  (await client.get("/usage")).body.stored_bytes as number;

const FULL = {
  code: "quota_exceeded",
  error: expect.stringContaining("storage quota is used up") as string,
};

test("what an owner stores is counted, and a full quota stops runs until there is room", async () => {
  const ada = await signUp();
  expect(await storedBytes(ada)).toBe(0);
  const { id, url } = await deploy(ada);
  const set = await setQuota(ada, 3_000_000);
  expect(set.body.data).toMatchObject({ storage_quota: 3_000_000 });
  await sendJson(url, { megabytes: 2 });
  await expect.poll(() => storedBytes(ada)).toBeGreaterThan(2_000_000);
  await sendJson(url, { megabytes: 2 });
  await expect.poll(() => storedBytes(ada)).toBeGreaterThan(4_000_000);
  const refused = await sendJson(url, { megabytes: 1 });
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("60");
  expect(await refused.json()).toMatchObject(FULL);
  const deployed = await ada.post("/sources", { component_code: EMITTING });
  expect(deployed).toMatchObject({ status: 429, body: FULL });
  expect((await ada.get("/usage")).body.quotas).toMatchObject({ storage_quota: 3_000_000 });
  expect(await ada.delete(`/sources/${id}/events`)).toMatchObject({ status: 202 });
  await expect.poll(async () => (await sendJson(url, { megabytes: 0 })).status).toBe(200);
  await expect.poll(() => storedBytes(ada)).toBeLessThan(1_000_000);
});

test("a deleted source and a deleted webhook no longer count", async () => {
  const ada = await signUp();
  const source = await deploy(ada);
  const { url } = await newReceiver({ status: 200 });
  const hook = await ada.post("/webhooks", { url });
  await ada.post("/subscriptions", { emitter_id: source.id, listener_id: hook.body.data.id });
  await sendJson(source.url, { megabytes: 2 });
  await expect.poll(() => storedBytes(ada), { timeout: 15_000 }).toBeGreaterThan(4_000_000);
  await ada.delete(`/webhooks/${hook.body.data.id}`);
  await expect.poll(() => storedBytes(ada)).toBeLessThan(3_000_000);
  await ada.delete(`/sources/${source.id}`);
  await expect.poll(() => storedBytes(ada)).toBe(0);
});

test("a data store counts until it is deleted", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/data_stores", { name: "Store" });
  const id = body.data.id as Id<"data_store">;
  const value = JSON.stringify("x".repeat(400_000));
  const set = (key: string) =>
    env.DATA_STORES.getByName(id).perform({ op: "set", key, value, ttl: null });
  for (const key of ["a", "b"]) expect(await set(key)).toMatchObject({ ok: true });
  await expect.poll(() => storedBytes(ada)).toBeGreaterThan(800_000);
  await ada.delete(`/data_stores/${id}`);
  await expect.poll(() => storedBytes(ada)).toBe(0);
});
