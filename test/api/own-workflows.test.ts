// @suites loader

import { expect, test } from "vitest";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { code, runOnce, triggerHttp } from "../support/workflow.ts";

const STEP = { name: "one", component_code: code("return steps.trigger.event.body") };

test("a user deploys, reads, lists, changes and deletes a workflow", async () => {
  const ada = await signUp();
  const trigger = { type: "http" };
  const created = await ada.post("/workflows", { name: "Echo", trigger, steps: [STEP] });
  expect(created).toMatchObject({
    status: 200,
    body: { data: { owner_id: ada.user.id, name: "Echo", active: true, steps: [STEP] } },
  });
  const { id, trigger: made } = created.body.data;
  const run = await runOnce({ user: ada, id, url: made.endpoint_url }, { order: 1 });
  expect(run).toMatchObject({
    state: "succeeded",
    steps: [{ exports: { $return_value: { order: 1 } } }],
  });
  expect((await ada.get(`/workflows/${id}`)).body.data).toEqual(created.body.data);
  expect((await operator.get(`/workflows/${id}`)).body.data).toEqual(created.body.data);
  expect((await ada.get("/workflows")).body).toMatchObject({
    page_info: { total_count: 1 },
    data: [created.body.data],
  });
  const changed = await ada.put(`/workflows/${id}`, { active: false });
  expect(changed.body.data).toMatchObject({ id, active: false, trigger: made, steps: [STEP] });
  expect((await triggerHttp(made.endpoint_url)).status).toBe(404);
  expect(await ada.delete(`/workflows/${id}`)).toMatchObject({ status: 204 });
  expect(await ada.get(`/workflows/${id}`)).toMatchObject({ status: 404 });
  expect((await ada.get("/workflows")).body.data).toEqual([]);
});

test("a workspace's workflows are its members'", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada);
  const fields = { name: "Shared", steps: [STEP], org_id: workspace };
  expect(await eve.post("/workflows", fields)).toMatchObject({ status: 404 });
  const { body } = await ada.post("/workflows", fields);
  expect(body.data.owner_id).toBe(workspace);
  const { id } = body.data;
  const path = `/workspaces/${workspace}/workflows`;
  expect((await ada.get(path)).body.data).toEqual([body.data]);
  expect(await eve.get(path)).toMatchObject({ status: 404 });
  expect((await ada.get("/workflows")).body.data).toEqual([]);
  for (const refused of [
    eve.get(`/workflows/${id}`),
    eve.put(`/workflows/${id}`, { name: "Mine" }),
    eve.delete(`/workflows/${id}`),
  ])
    expect(await refused).toMatchObject({ status: 404 });
  expect((await ada.get(`/workflows/${id}`)).body.data).toEqual(body.data);
});

test("steps use only components and accounts of their owner", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const { body } = await ada.post("/components", {
    component_code: `export default { name: "Ada's", version: "0.0.1", type: "action", run() {} };`,
  });
  const step = { name: "one", component_id: body.data.id };
  expect(await eve.post("/workflows", { name: "Flow", steps: [step] })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('step "one": No component') },
  });
  expect(await ada.post("/workflows", { name: "Flow", steps: [step] })).toMatchObject({
    status: 200,
  });
  expect((await eve.get("/workflows")).body.data).toEqual([]);
});
