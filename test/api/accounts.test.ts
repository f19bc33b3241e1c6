// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newAccount } from "../support/accounts.ts";
import { operator, signUp, workspaceOf } from "../support/client.ts";

const SECRET = "sk_live_never_shown";

test("the operator connects, reads, changes, lists and deletes an account", async () => {
  const ada = await signUp();
  const created = await operator.post("/accounts", {
    owner_id: ada.user.id,
    app: "github",
    name: "Ada's GitHub",
    external_id: "T1",
    credentials: { api_key: SECRET },
  });
  const account = {
    id: expect.stringMatching(/^apn_/),
    owner_id: ada.user.id,
    app: "github",
    name: "Ada's GitHub",
    external_id: "T1",
    healthy: true,
    dead: false,
    error: null,
    error_at: null,
    expires_at: null,
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
  };
  expect(created).toMatchObject({ status: 200 });
  expect(created.body.data).toEqual(account);
  const { id } = created.body.data;
  expect((await operator.get(`/accounts/${id}`)).body.data).toEqual(account);
  const changed = await operator.put(`/accounts/${id}`, {
    name: "Ada",
    credentials: { api_key: `${SECRET}2` },
  });
  expect(changed.body.data).toEqual({ ...account, name: "Ada" });
  const listed = await operator.get(`/accounts?owner_id=${ada.user.id}&app=github`);
  expect(listed.body).toMatchObject({ page_info: { total_count: 1 }, data: [{ id }] });
  const others = await operator.get(`/accounts?owner_id=${ada.user.id}&app=slack`);
  expect(others.body.data).toEqual([]);
  for (const { body } of [created, changed, listed])
    expect(JSON.stringify(body)).not.toContain(SECRET);
  expect(await operator.delete(`/accounts/${id}`)).toMatchObject({ status: 204 });
  expect(await operator.delete(`/accounts/${id}`)).toMatchObject({ status: 404 });
  expect(await operator.get(`/accounts/${id}`)).toMatchObject({ status: 404 });
});

test("users see their accounts and those of their workspaces, without credentials", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, bob);
  const own = await newAccount(ada.user.id, { external_id: "T1" });
  const shared = await newAccount(workspace, { app: "slack", credentials: { api_key: SECRET } });

  expect((await ada.get("/accounts")).body).toMatchObject({
    page_info: { total_count: 1, count: 1 },
    data: [{ id: own, owner_id: ada.user.id }],
  });
  expect((await ada.get("/accounts?external_id=T1")).body.data).toHaveLength(1);
  expect((await ada.get("/accounts?app=slack")).body.data).toEqual([]);
  for (const path of [`/workspaces/${workspace}/accounts`, `/orgs/${workspace}/accounts?app=slack`])
    expect((await bob.get(path)).body.data).toMatchObject([{ id: shared, owner_id: workspace }]);
  const read = await bob.get(`/accounts/${shared}`);
  expect(read).toMatchObject({ status: 200, body: { data: { id: shared, app: "slack" } } });
  expect(JSON.stringify(read.body)).not.toContain(SECRET);
  expect((await bob.get("/accounts")).body.data).toEqual([]);
  for (const path of [
    `/accounts/${own}`,
    `/accounts/${shared}`,
    `/workspaces/${workspace}/accounts`,
  ])
    expect(await eve.get(path)).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect(await bob.get(`/accounts/${own}`)).toMatchObject({ status: 404 });
});

test("credentials are encrypted in the database", async () => {
  const ada = await signUp();
  const id = await newAccount(ada.user.id, { credentials: { api_key: SECRET } });
  const row = await env.DB.prepare("SELECT * FROM accounts WHERE id = ?").bind(id).first();
  expect(row?.["credentials"]).toMatch(/^v1\.[0-9a-f]{16}\.[\w-]+\.[\w-]+$/);
  expect(JSON.stringify(row)).not.toContain(SECRET);
  expect(String(row?.["credentials"]).split(".")[1]).toBe(row?.["key_id"]);
});

test.for([
  [{ owner_id: "u_nobody" }, "owner_id: there is no such user or workspace"],
  [{ owner_id: "dc_1" }, "owner_id: must be the id of a user or a workspace"],
  [{ app: "git hub" }, "app: must be the slug of an app, such as github"],
  [{ name: " " }, "name:"],
  [{ credentials: "sk_1" }, "credentials: must be an object"],
  [{ credentials: { a: "x".repeat(65_536) } }, "credentials: must be at most 64 KB"],
  [{ expires_at: "soon" }, "expires_at:"],
] as const)("rejects an account with %j", async ([given, message]) => {
  const ada = await signUp();
  const answer = await operator.post("/accounts", {
    owner_id: ada.user.id,
    app: "github",
    name: "A",
    credentials: {},
    ...given,
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining(message), code: "invalid_input" },
  });
  expect((await ada.get("/accounts")).body.data).toEqual([]);
});

test("a token is returned with its expiry", async () => {
  const ada = await signUp();
  const id = await newAccount(ada.user.id);
  expect(await operator.put(`/accounts/${id}`, { expires_at: 1 })).toMatchObject({
    status: 400,
    body: { error: "expires_at: comes with credentials only" },
  });
});

test("OAuth settings of an app are stored, listed, replaced and deleted, and their secret is never shown", async () => {
  const settings = {
    app: "calendar_settings",
    token_url: "https://example.com/token",
    client_id: "client",
    client_secret: SECRET,
  };
  const put = await operator.post("/oauth_apps", settings);
  const shown = {
    app: "calendar_settings",
    token_url: "https://example.com/token",
    client_id: "client",
    client_authentication: "body",
    overrides: ["token_url", "client_authentication"],
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
  };
  expect(put).toMatchObject({ status: 200, body: { data: shown } });
  const replaced = await operator.post("/oauth_apps", {
    ...settings,
    client_authentication: "basic",
  });
  expect(replaced.body.data).toEqual({ ...shown, client_authentication: "basic" });
  const path = "/oauth_apps/calendar_settings";
  expect((await operator.get(path)).body.data).toEqual(replaced.body.data);
  const { body } = await operator.get("/oauth_apps");
  expect(body.data).toContainEqual(replaced.body.data);
  expect(JSON.stringify([put.body, body])).not.toContain(SECRET);
  const rows = await env.DB.prepare("SELECT * FROM oauth_apps").all();
  expect(JSON.stringify(rows.results)).not.toContain(SECRET);
  expect(await operator.delete(path)).toMatchObject({ status: 204 });
  expect(await operator.get(path)).toMatchObject({ status: 404 });
  expect(await operator.delete(path)).toMatchObject({ status: 404 });
});

test.for(["ftp://example.com", "example.com", ""])(
  "rejects %j as a token URL",
  async (token_url) => {
    const settings = { app: "calendar", token_url, client_id: "a", client_secret: SECRET };
    const { status, body } = await operator.post("/oauth_apps", settings);
    expect(status).toBe(400);
    expect(body.error).toContain("token_url");
    expect(body.error).not.toContain(SECRET);
  },
);
