// @suites loader

import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { workflowPlans } from "#db/schema/workflow-versions.ts";
import { newToken } from "#domain/ids.ts";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { deployVersioned, stepOf } from "../support/versioned.ts";

test("each change of a definition creates a version, which is returned as it was sent", async () => {
  const { ada, path, numbers } = await deployVersioned();
  const second = await ada.put(path, { steps: [stepOf("second")] });
  expect(second.body.data).toMatchObject({ version: 2, steps: [stepOf("second")] });
  const trigger = { type: "timer", cron: "0 9 * * 1", timezone: "Europe/Berlin" };
  expect((await ada.put(path, { trigger })).body.data.version).toBe(3);
  expect((await operator.put(path, { name: "Renamed" })).body.data.version).toBe(4);
  expect(await numbers()).toEqual([4, 3, 2, 1]);

  const first = (await ada.get(`${path}/versions/1`)).body.data;
  expect(first).toEqual({
    workflow_id: second.body.data.id,
    version: 1,
    name: "Flow",
    user_id: ada.user.id,
    restored_from: null,
    created_at: expect.any(Number),
    trigger: { type: "http" },
    steps: [{ ...stepOf("first"), props: {} }],
  });
  const fourth = (await operator.get(`${path}/versions/4`)).body.data;
  expect(fourth).toMatchObject({ name: "Renamed", user_id: null, steps: [stepOf("second")] });
  expect(fourth.trigger).toMatchObject(trigger);
  expect((await ada.get(path)).body.data).toMatchObject({ version: 4, name: "Renamed" });
});

test("a list of versions has pages, newest first, without the steps", async () => {
  const { ada, path } = await deployVersioned();
  for (const name of ["B", "C", "D"]) await ada.put(path, { name });
  const page = (query: string) => ada.get(`${path}/versions?${query}`);
  const { body: newest } = await page("limit=3");
  expect(newest).toMatchObject({
    page_info: { total_count: 4, count: 3 },
    data: [{ name: "D" }, { name: "C" }, { name: "B" }],
  });
  expect(newest.data[0]).not.toHaveProperty("steps");
  const { body: rest } = await page(`limit=3&after=${newest.page_info.end_cursor}`);
  expect(rest.data).toMatchObject([{ version: 1, name: "Flow" }]);
  const { body: back } = await page(`limit=2&before=${rest.page_info.start_cursor}`);
  expect(back.data).toMatchObject([{ version: 3 }, { version: 2 }]);
  for (const version of ["0", "-1", "1.5", "x", "5", "1e3", `${2 ** 53 - 1}`, `${2 ** 53}`])
    for (const answer of [
      await ada.get(`${path}/versions/${version}`),
      await ada.post(`${path}/versions/${version}/restore`),
    ])
      expect([version, answer.status]).toEqual([version, 404]);
  expect((await ada.get(path)).body.data.version).toBe(4);
});

test("a deployment without a change creates no version", async () => {
  const action = `export default { key: "k-${newToken()}", name: "A", version: "1.0.0", type: "action",
    props: { token: { type: "string", secret: true }, list: "string[]" }, run() { return this.token; } };`;
  const ada = await signUp();
  const { id: component_id } = (await ada.post("/components", { component_code: action })).body
    .data;
  const withToken = (token: string) => ({
    steps: [
      { name: "one", component_id, props: { token, list: "{{ [1] }}" }, retries: { limit: 1 } },
    ],
  });
  const { body } = await ada.post("/workflows", { name: "Flow", ...withToken("s3cret") });
  const path = `/workflows/${body.data.id}`;
  for (const same of [
    {},
    { name: "Flow" },
    { active: false },
    { active: true, trigger: { type: "none" } },
    withToken("s3cret"),
  ])
    expect([same, (await ada.put(path, same)).body.data.version]).toEqual([same, 1]);
  // Secret values are never shown, but count as a change.
  expect((await ada.put(path, withToken("other"))).body.data.version).toBe(2);
  const { data } = (await ada.get(`${path}/versions`)).body;
  expect(data).toHaveLength(2);
  const kept = await connect(env.DB)
    .select()
    .from(workflowPlans)
    .where(eq(workflowPlans.workflowId, body.data.id));
  expect(kept).toHaveLength(2);
  expect(kept.every(({ sealed }) => sealed?.includes('"token":"v1.'))).toBe(true);
  const shown = JSON.stringify([kept, (await ada.get(`${path}/versions/1`)).body]);
  expect(shown).not.toMatch(/s3cret|other/);
});

test("a restored version becomes the newest, with its code and its secrets", async () => {
  const key = `k-${newToken().toLowerCase()}`;
  const publish = (version: string) =>
    operator.post("/registry", {
      component_code: `export default { key: "${key}", name: "A", version: "${version}", type: "action",
        props: { token: { type: "string", secret: true } }, run() { return this.token + "@${version}"; } };`,
    });
  await publish("1.0.0");
  const steps = [{ name: "one", key, props: { token: "old" } }];
  const { ada, path, numbers, returned, created } = await deployVersioned({ steps });
  expect(await returned()).toBe("old@1.0.0");
  await publish("2.0.0");
  expect((await ada.put(path, { steps })).body.data.version).toBe(2);
  expect(await returned()).toBe("old@2.0.0");
  await ada.put(path, { name: "New", steps: [{ name: "one", key, props: { token: "new" } }] });
  expect(await returned()).toBe("new@2.0.0");

  const restored = await ada.post(`${path}/versions/1/restore`);
  expect(restored).toMatchObject({ status: 200, body: { data: { version: 4, name: "Flow" } } });
  expect(restored.body.data.trigger).toEqual(created.trigger);
  expect(await returned()).toBe("old@1.0.0");
  expect(await numbers()).toEqual([4, 3, 2, 1]);
  expect((await ada.get(`${path}/versions/4`)).body.data).toMatchObject({
    restored_from: 1,
    user_id: ada.user.id,
    steps: created.steps,
  });
  expect((await operator.post(`${path}/versions/3/restore`)).body.data.version).toBe(5);
  expect(await returned()).toBe("new@2.0.0");
  expect((await ada.get(`${path}/versions/5`)).body.data.user_id).toBeNull();
});

test("restoring keeps a workflow paused, and restoring the current version creates a new one", async () => {
  const { ada, path, run, created } = await deployVersioned();
  await ada.put(path, { steps: [stepOf("second")], active: false });
  const restored = (await ada.post(`${path}/versions/1/restore`)).body.data;
  expect(restored).toMatchObject({ version: 3, active: false });
  expect((await ada.post(`${path}/versions/3/restore`)).body.data.version).toBe(4);
  for (const missing of [5, 99])
    expect((await ada.post(`${path}/versions/${missing}/restore`)).status).toBe(404);
  await ada.put(path, { active: true });
  expect(await run()).toMatchObject({ version: 4, steps: [{ name: "one" }] });
  expect((await ada.get(path)).body.data.steps).toEqual(created.steps);
});

test("a run names its version, and a rerun uses the current one", async () => {
  const { ada, path, run } = await deployVersioned();
  const first = await run();
  expect(first.version).toBe(1);
  await ada.put(path, { steps: [stepOf("second")] });
  const again = (await ada.post(`${path}/runs/${first.id}/rerun`)).body.data;
  expect(again).toMatchObject({ version: 2, rerun_of: first.id });
  await ada.put(path, { active: true });
  expect((await ada.post(`${path}/runs`, { event: {} })).body.data.version).toBe(2);
  await expect
    .poll(async () => (await ada.get(`${path}/runs`)).body.data)
    .toMatchObject([
      { version: 2, state: "succeeded" },
      { version: 2, state: "succeeded" },
      { version: 1, state: "succeeded" },
    ]);
});

test("compares two versions by definition and code", async () => {
  const { ada, path } = await deployVersioned();
  await ada.put(path, { name: "Other", steps: [stepOf("second")] });
  const { body } = await ada.get(`${path}/diff?from=1&to=2`);
  expect(body.data).toMatchObject({ from: 1, to: 2, omitted: [] });
  for (const line of [
    '-  "name": "Flow",',
    '+  "name": "Other",',
    "--- steps/one.js",
    `-${stepOf("first").component_code}`,
    `+${stepOf("second").component_code}`,
  ])
    expect(body.data.diff).toContain(line);
  expect((await ada.get(`${path}/diff?from=1&to=1`)).body.data.diff).toBe("");
  expect((await ada.get(`${path}/diff?from=1&to=3`)).status).toBe(404);
  expect((await ada.get(`${path}/diff?from=1`)).status).toBe(400);
});

test("strangers cannot see, compare or restore versions; members of the workspace can", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, eve);
  const { ada: owner, path } = await deployVersioned();
  const fields = { name: "Shared", steps: [stepOf("first")], org_id: workspace };
  const shared = `/workflows/${(await ada.post("/workflows", fields)).body.data.id}`;
  for (const refused of [
    eve.get(`${path}/versions`),
    eve.get(`${path}/versions/1`),
    eve.get(`${path}/diff?from=1&to=1`),
    eve.post(`${path}/versions/1/restore`),
  ])
    expect(await refused).toMatchObject({ status: 404 });
  expect((await owner.get(path)).body.data.version).toBe(1);
  expect((await eve.post(`${shared}/versions/1/restore`)).body.data.version).toBe(2);
  expect((await ada.get(`${shared}/versions`)).body.data).toMatchObject([
    { user_id: eve.user.id, restored_from: 1 },
    { user_id: ada.user.id },
  ]);
});
