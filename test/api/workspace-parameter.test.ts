// @suites loader

import { expect, test } from "vitest";

import { newCaller, ok } from "../support/api.ts";
import { clientOf, workspaceOf } from "../support/client.ts";

const code = (version: string) =>
  `export default { key: "shared", name: "N", version: "${version}", run() {} }`;

test("looks up a component's key in the requested workspace", async () => {
  const ada = await newCaller();
  const org_id = await workspaceOf(ada);
  const { data: ours } = ok(
    await ada.api.saveComponent({ body: { component_code: code("ours"), org_id } }),
  );
  const { data: mine } = ok(
    await ada.api.saveComponent({ body: { component_code: code("mine") } }),
  );
  const read = async (scope: object) =>
    ok(await ada.api.getComponent({ key: "shared", ...scope })).data.id;
  expect(await read({})).toBe(mine.id);
  expect(await read({ workspaceId: org_id })).toBe(ours.id);
  expect(await read({ orgId: org_id })).toBe(ours.id);
});

test("every read and create in another's workspace is 404", async () => {
  const [ada, eve] = [await newCaller(), await newCaller()];
  const workspaceId = await workspaceOf(ada);
  const answers = [
    await eve.api.getCurrentUser({ workspaceId }),
    await eve.api.listSources({ orgId: workspaceId }),
    await eve.api.saveComponent({ workspaceId, body: { component_code: code("1") } }),
    await eve.api.createWebhook({ body: { url: "http://a.example", org_id: workspaceId } }),
    await eve.api.createWebhook({ url: "http://a.example", workspaceId }),
    await eve.api.listWorkspaceWebhooks({ id: workspaceId }),
  ];
  for (const { status, data } of answers)
    expect([status, data]).toMatchObject([404, { code: "not_found" }]);
  expect(await ada.api.getCurrentUser({ workspaceId })).toMatchObject({ status: 200 });
  expect(await ada.api.getCurrentUser({ workspaceId: "engines" })).toMatchObject({
    status: 400,
    data: { error: expect.stringContaining("workspace_id") },
  });
});

test("lists a workspace's webhooks for its members", async () => {
  const [ada, bob] = [await newCaller(), await newCaller()];
  const org = await workspaceOf(ada, bob);
  const { data: hook } = ok(await ada.api.createWebhook({ url: "http://a.example", orgId: org }));
  expect(ok(await bob.api.listWorkspaceWebhooksByOrg({ id: org })).data).toMatchObject([
    { id: hook.id },
  ]);
  expect(ok(await ada.api.listWebhooks()).data).toEqual([]);
});

test("a workspace in a body is checked like one in the query, even where it is not used", async () => {
  const [ada, eve] = [await newCaller(), await newCaller()];
  const [workspace_id, other] = [await workspaceOf(ada), await workspaceOf(ada)];
  const [adas, eves] = [ada, eve].map(({ key }) => clientOf(key, "/v1"));
  const { data: hook } = ok(await eve.api.createWebhook({ body: { url: "http://a.example" } }));
  const path = `/webhooks/${hook.id}`;
  for (const name of ["workspace_id", "org_id"]) {
    expect(await eves?.put(path, { name: "x", [name]: workspace_id })).toMatchObject({
      status: 404,
      body: { code: "not_found", error: `No workspace with id ${workspace_id}` },
    });
    for (const nonsense of ["engines", 5, {}])
      expect(await eves?.put(path, { name: "x", [name]: nonsense })).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining(name) },
      });
    expect(await eves?.put(path, { name: "y", [name]: null })).toMatchObject({ status: 200 });
  }
  const url = "http://a.example";
  const made = await adas?.post(`/webhooks?workspace_id=${other}`, { url, workspace_id });
  expect(made).toMatchObject({ status: 200 });
  const { data } = ok(await ada.api.listWorkspaceWebhooks({ id: workspace_id }));
  expect(data).toMatchObject([{ id: made?.body.data.id }]);
});

test("a list of one's own resources is that of the workspace in the request", async () => {
  const [ada, eve] = [await newCaller(), await newCaller()];
  const org = await workspaceOf(ada);
  const [adas, eves] = [clientOf(ada.key, "/v1"), clientOf(eve.key, "/v1")];
  const component_code = code("1");
  const { body: ours } = await adas.post("/sources", { component_code, org_id: org });
  const { body: mine } = await adas.post("/sources", { component_code });
  const { body: hook } = await adas.post("/webhooks", { url: "http://a.example", org_id: org });
  const idsIn = async (path: string) =>
    (await adas.get(path)).body.data.map(({ id }: { id: string }) => id);
  expect(await idsIn("/users/me/sources")).toEqual([mine.data.id]);
  expect(await idsIn(`/users/me/sources?org_id=${org}`)).toEqual([ours.data.id]);
  expect(await idsIn(`/users/me/sources?workspace_id=${org}`)).toEqual([ours.data.id]);
  expect(await idsIn(`/users/me/webhooks?org_id=${org}`)).toEqual([hook.data.id]);
  expect((await eves.get(`/users/me/sources?org_id=${org}`)).status).toBe(404);
});

test("two different workspaces in one request are refused, wherever they are", async () => {
  const ada = await newCaller();
  const [workspace_id, org_id] = [await workspaceOf(ada), await workspaceOf(ada)];
  const { get, post } = clientOf(ada.key, "/v1");
  const url = "http://a.example";
  const refused = {
    status: 400,
    body: { error: "org_id: must be the same as workspace_id, if both are there" },
  };
  expect(
    await get(`/users/me/sources?workspace_id=${workspace_id}&org_id=${org_id}`),
  ).toMatchObject(refused);
  expect(await post("/webhooks", { url, workspace_id, org_id })).toMatchObject(refused);
  expect(await post(`/webhooks?workspace_id=${workspace_id}`, { url, org_id })).toMatchObject(
    refused,
  );
  expect(await post("/webhooks", { url, workspace_id, org_id: workspace_id })).toMatchObject({
    status: 200,
  });
});
