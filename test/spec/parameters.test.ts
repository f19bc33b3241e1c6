import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newCaller, ok } from "../support/api.ts";
import { clientOf, ORIGIN, workspaceOf } from "../support/client.ts";
import { deployEcho, ECHO } from "../support/echo.ts";

test("include | comma-separated fields to include; default all", async () => {
  const caller = await newCaller();
  const { api } = caller;
  const { id } = await deployEcho(caller);
  expect(ok(await api.getSource({ id, include: "id,name" })).data).toEqual({ id, name: "echo-it" });
  expect(ok(await api.listSources({ include: "id" })).data).toEqual([{ id }]);
  const webhook = await api.createWebhook({ url: "http://a.example", include: "url" });
  expect(ok(webhook).data).toEqual({ url: "http://a.example" });
});

test("exclude | comma-separated fields to exclude; default none", async () => {
  const { api } = await newCaller();
  const body = { component_code: ECHO };
  expect(ok(await api.saveComponent({ body, exclude: "code" })).data).not.toHaveProperty("code");
  expect(ok(await api.saveComponent({ body })).data).toHaveProperty("code");
});

test("org_id | when creating a resource owned by a workspace, the organization in which it lives", async () => {
  const [ada, bob, eve] = [await newCaller(), await newCaller(), await newCaller()];
  const org_id = await workspaceOf(ada, bob);
  for (const scope of [{ org_id }, { workspace_id: org_id }]) {
    const source = ok(await ada.api.createSource({ body: { component_code: ECHO, ...scope } }));
    const component = ok(await ada.api.saveComponent({ body: { component_code: ECHO, ...scope } }));
    const webhook = ok(
      await ada.api.createWebhook({ body: { url: "http://a.example", ...scope } }),
    );
    const reads = [
      (api: typeof ada.api) => api.getSource({ id: source.data.id }),
      (api: typeof ada.api) => api.getComponent({ key: component.data.id }),
      (api: typeof ada.api) => api.getWebhook({ id: webhook.data.id }),
    ];
    // Fetching a specific resource needs no workspace ID when the user belongs to the workspace.
    for (const read of reads) {
      expect(await read(bob.api)).toMatchObject({ status: 200 });
      expect(await read(eve.api)).toMatchObject({ status: 404 });
    }
  }
});

test.for([
  [undefined, 10],
  [1, 1],
  [100, 12],
])(
  "limit %s of 12 | default 10, minimum 1, maximum 100: %i are returned",
  async ([limit, count]) => {
    const { api } = await newCaller();
    for (let made = 0; made < 12; made += 1) await api.createWebhook({ url: "http://a.example" });
    const { data, page_info } = ok(await api.listWebhooks(limit === undefined ? {} : { limit }));
    expect([data.length, page_info.count, page_info.total_count]).toEqual([count, count, 12]);
  },
);

test.for(["0", "101", "-1", "1.5", "ten", ""])("limit %j is refused by its name", async (limit) => {
  const { key } = await newCaller();
  const refusal = await clientOf(key, "/v1").get(`/users/me/webhooks?limit=${limit}`);
  expect([refusal.status, refusal.body.error]).toEqual([400, expect.stringContaining("limit")]);
});

test("after | cursor; items after it; before | cursor; items before it", async () => {
  const { api } = await newCaller();
  for (const name of ["a", "b", "c", "d"])
    await api.createWebhook({ url: "http://a.example", name });
  const page = async (cursor: object) => {
    const { data, page_info } = ok(await api.listWebhooks({ limit: 2, ...cursor }));
    return { names: data.map(({ name }) => name), page_info };
  };
  const first = await page({});
  expect(first.names).toEqual(["d", "c"]);
  const second = await page({ after: first.page_info.end_cursor });
  expect(second.names).toEqual(["b", "a"]);
  expect((await page({ before: second.page_info.start_cursor })).names).toEqual(["d", "c"]);
});

test("Every endpoint requires the header Authorization with value Bearer <API_KEY>", async () => {
  const { key } = await newCaller();
  const status = async (authorization: string) =>
    (await exports.default.fetch(`${ORIGIN}/v1/users/me`, { headers: { authorization } })).status;
  expect(await status(`Bearer ${key}`)).toBe(200);
  for (const wrong of ["", key, `Basic ${key}`, `Bearer ${key}x`, "Bearer"])
    expect([wrong, await status(wrong)]).toEqual([wrong, 401]);
});

test("POST and PUT requests with a JSON body also require the header Content-Type: application/json", async () => {
  const { key } = await newCaller();
  const client = clientOf(key, "/v1");
  const body = JSON.stringify({ url: "http://a.example" });
  expect(await client.post("/webhooks", body, { "content-type": "text/plain" })).toMatchObject({
    status: 415,
  });
  const json = { "content-type": "application/json" };
  expect(await client.post("/webhooks", body, json)).toMatchObject({ status: 200 });
});
