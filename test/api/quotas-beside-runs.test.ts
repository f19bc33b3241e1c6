// @suites loader

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { Id } from "#domain/ids.ts";

import { operator, signUp, workspaceOf } from "../support/client.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

async function deploy(client: Client, more: object = {}) {
  const { body } = await client.post("/sources", { component_code: WAITING, ...more });
  const { id, component_id } = body.data;
  return { id, component_id, stub: env.SOURCES.getByName(id as Id<"source">) };
}

const setQuota = ({ user }: Client, daily_compute_time_quota: number) =>
  operator.put(`/users/${user.id}/quotas`, { daily_compute_time_quota });

const computeOf = async (client: Client) =>
  (await client.get("/users/me")).body.data.daily_compute_time_used as number;

/** Waits in its options and hooks, but not in `run`. */
const WAITING = `const wait = (ms) => new Promise((done) => setTimeout(done, ms));
export default { name: "Waiting", version: "1",
  props: {
    prop: { type: "string", optional: true, async options() { await wait(150); return ["a"] } },
  },
  hooks: {
    async activate() { await wait(150) },
    async deactivate() { await wait(150) },
  },
  run() {} }`;

test("evaluation, options and hooks count as compute of their owner, and not as invocations", async () => {
  const ada = await signUp();
  const evaluated = await ada.post("/components", { component_code: WAITING });
  const first = await computeOf(ada);
  expect(first).toBeGreaterThan(0);
  const { id } = evaluated.body.data;
  const options = { prop_name: "prop", configured_props: {} };
  expect(await ada.post(`/components/${id}/options`, options)).toMatchObject({ status: 200 });
  const second = await computeOf(ada);
  expect(second).toBeGreaterThanOrEqual(first + 150);
  const { body } = await ada.post("/sources", { component_id: id });
  await runDurableObjectAlarm(env.SOURCES.getByName(body.data.id));
  expect(await computeOf(ada)).toBeGreaterThanOrEqual(second + 150);
  expect((await ada.get("/users/me")).body.data.daily_invocations_used).toBe(0);
});

test("with a used-up quota, no code runs except to switch off or delete a source", async () => {
  const ada = await signUp();
  const source = await deploy(ada);
  const other = await deploy(ada);
  const { component_id } = source;
  await setQuota(ada, 1);
  const refused = { status: 429, body: { code: "quota_exceeded" } };
  const options = { prop_name: "prop", configured_props: {} };
  expect(await ada.post(`/components/${component_id}/options`, options)).toMatchObject(refused);
  expect(await ada.post("/components", { component_code: WAITING })).toMatchObject(refused);
  expect(await ada.post("/sources", { component_code: WAITING })).toMatchObject(refused);
  expect(await ada.post("/sources", { component_id })).toMatchObject(refused);
  expect(await ada.put(`/sources/${source.id}`, { name: "renamed" })).toMatchObject(refused);
  expect((await ada.get(`/sources/${source.id}`)).body.data).toMatchObject({ active: true });

  const before = await computeOf(ada);
  const off = await ada.put(`/sources/${source.id}`, { active: false });
  expect(off).toMatchObject({ status: 200, body: { data: { active: false } } });
  await runDurableObjectAlarm(source.stub);
  const hooked = await computeOf(ada);
  expect(hooked).toBeGreaterThanOrEqual(before + 150);
  expect(await ada.put(`/sources/${source.id}`, { active: true })).toMatchObject(refused);
  expect(await ada.delete(`/sources/${other.id}`)).toMatchObject({ status: 204 });
  expect(await computeOf(ada)).toBeGreaterThanOrEqual(hooked + 150);

  await setQuota(ada, 0);
  expect(await ada.put(`/sources/${source.id}`, { active: true })).toMatchObject({ status: 200 });
});

test("a workspace's quotas apply to its code for every member", async () => {
  const ada = await signUp();
  const workspace_id = await workspaceOf(ada);
  await deploy(ada, { workspace_id });
  await operator.put(`/workspaces/${workspace_id}/quotas`, { daily_compute_time_quota: 1 });
  const given = { component_code: WAITING };
  expect(await ada.post("/sources", { ...given, workspace_id })).toMatchObject({ status: 429 });
  expect(await ada.post("/sources", given)).toMatchObject({ status: 200 });
});
