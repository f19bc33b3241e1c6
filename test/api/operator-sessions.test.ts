// @suites loader

import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { app } from "#worker/http/app.ts";

import { operator, ORIGIN, signUp, workspaceOf } from "../support/client.ts";
import { browse, OWN_PAGE, signIn } from "../support/console.ts";

const UNAUTHORIZED = { status: 401, body: { code: "unauthorized" } };

test("a session by the admin token opens the operator plane, and nothing of users", async () => {
  const { session, ...root } = await signIn({ admin_token: "operator" });
  expect(session).toMatchObject({ user: null, is_operator: true });
  expect(await root.get("/admin/users")).toMatchObject({ status: 200 });
  expect(await root.get("/v1/users/me")).toMatchObject(UNAUTHORIZED);
  expect(await root.get("/v1/connect/projects")).toMatchObject(UNAUTHORIZED);
  const made = { orgname: "engines", name: "Engines", email: "engines@example.com" };
  expect(await root.post("/admin/workspaces", made)).toMatchObject({ status: 200 });
  expect(await root.post("/admin/workspaces", made, { "x-csrf-token": "" })).toMatchObject({
    status: 403,
    body: { code: "csrf" },
  });
});

test("a second sign-in adds to the previous session, under a new secret", async () => {
  const { user } = await signUp();
  const ada = await signIn({ api_key: user.api_key });
  const both = await signIn({ admin_token: "operator" }, { cookie: ada.cookie });
  expect(both.session).toMatchObject({ user: { id: user.id }, is_operator: true });
  expect(both.session.id).not.toBe(ada.session.id);
  expect(both.cookie).not.toBe(ada.cookie);
  expect(both.session.expires_at).toBeLessThanOrEqual(ada.session.expires_at);
  expect(await ada.get("/v1/users/me")).toMatchObject(UNAUTHORIZED);
  for (const path of ["/v1/users/me", "/admin/users"])
    expect(await both.get(path)).toMatchObject({ status: 200 });
  const { body } = await both.get("/v1/sessions");
  expect(body.data).toMatchObject([{ id: both.session.id, is_operator: true }]);
  // The session still depends on the key.
  await operator.delete(`/api_keys/${user.api_key_id}`);
  for (const path of ["/v1/users/me", "/admin/users"])
    expect(await both.get(path)).toMatchObject(UNAUTHORIZED);
});

test("a sign-in as another user replaces the previous one", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const first = await signIn({ api_key: ada.user.api_key });
  const second = await signIn({ api_key: eve.user.api_key }, { cookie: first.cookie });
  expect(second.session.user?.id).toBe(eve.user.id);
  expect(await first.get("/v1/users/me")).toMatchObject(UNAUTHORIZED);
});

test.for([
  ["a user's link in an operator's browser", { isOperator: true }, { is_operator: false }],
  ["an operator's link in a user's browser", { isOperator: false }, { user: null }],
] as const)("%s gives no right of the person before", async ([, { isOperator }, opened]) => {
  const [ada, eve] = [await signUp(), await signUp()];
  const former = await signIn(
    isOperator ? { admin_token: "operator" } : { api_key: ada.user.api_key },
  );
  const link = isOperator ? { user_id: eve.user.id } : { is_operator: true };
  const { body } = await operator.post("/sign_in_links", link);
  const secret = String(body.data.url).split("#link=")[1];
  const { session } = await signIn({ link: secret }, { cookie: former.cookie });
  expect(session).toMatchObject(opened);
  for (const path of ["/v1/users/me", "/admin/users"])
    expect(await former.get(path)).toMatchObject(UNAUTHORIZED);
});

test("an operator's session ends when its admin token changes", async () => {
  const { user } = await signUp();
  const root = await signIn({ admin_token: "operator" });
  const ada = await signIn({ api_key: user.api_key }, { cookie: root.cookie });
  const { cookie } = ada;
  for (const ADMIN_TOKEN of ["another", ""]) {
    const variables = { ADMIN_TOKEN };
    expect(await browse("GET", "/admin/users", { cookie, variables })).toMatchObject(UNAUTHORIZED);
    expect(await browse("GET", "/console/session", { cookie, variables })).toMatchObject({
      status: 200,
      body: { data: { is_operator: false, user: { id: user.id } } },
    });
    const body = { admin_token: ADMIN_TOKEN === "" ? "" : "operator" };
    const again = { body, headers: OWN_PAGE, variables };
    expect(await browse("POST", "/console/session", again)).toMatchObject(UNAUTHORIZED);
  }
});

test("each of two sessions sees only its own user's resources and workspaces", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada);
  const [own, other] = [
    await signIn({ api_key: ada.user.api_key }),
    await signIn({ api_key: eve.user.api_key }),
  ];
  const { body } = await own.post("/v1/webhooks", {
    url: "http://127.0.0.1:9/hook",
    org_id: workspace,
  });
  expect(await own.get(`/v1/workspaces/${workspace}/webhooks`)).toMatchObject({
    status: 200,
    body: { data: [{ id: body.data.id }] },
  });
  for (const path of [`/webhooks/${body.data.id}`, `/workspaces/${workspace}/webhooks`])
    expect(await other.get(`/v1${path}`)).toMatchObject({ status: 404 });
  expect(await other.get(`/v1/users/me/webhooks?org_id=${workspace}`)).toMatchObject({
    status: 404,
  });
});

test("the streams of a session end with it", async () => {
  const { user } = await signUp();
  const ada = await signIn({ api_key: user.api_key });
  const { body } = await ada.post("/v1/sources", {
    component_code: `export default { name: "S", version: "1", props: { http: "$.interface.http" }, run() {} }`,
  });
  const open = (path: string) => {
    const incoming = new Request(ORIGIN + path, { headers: { cookie: ada.cookie ?? "" } });
    return app.fetch(incoming, env, createExecutionContext());
  };
  const streams = [await open(`/v1/sources/${body.data.id}/sse`), await open("/v1/users/me/sse")];
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  expect(await ada.delete("/console/session")).toMatchObject({ status: 204 });
  for (const stream of streams) await stream.text();
  expect((await open(`/v1/sources/${body.data.id}/sse`)).status).toBe(401);
});

test("an operator lists the sessions of a user, and ends one", async () => {
  const [{ user }, eve] = [await signUp(), await signUp()];
  const ada = await signIn({ api_key: user.api_key }, { headers: { "user-agent": "Lovelace/1" } });
  const path = `/users/${user.id}/sessions`;
  const { body } = await operator.get(path);
  expect(body).toMatchObject({
    page_info: { total_count: 1 },
    data: [{ id: ada.session.id, user_agent: "Lovelace/1", is_current: false }],
  });
  // It belongs to another user.
  const wrong = `/users/${eve.user.id}/sessions/${ada.session.id}`;
  expect((await operator.delete(wrong)).status).toBe(404);
  expect(await ada.get("/v1/users/me")).toMatchObject({ status: 200 });
  expect((await operator.delete(`${path}/${ada.session.id}`)).status).toBe(204);
  expect(await ada.get("/v1/users/me")).toMatchObject(UNAUTHORIZED);
  expect((await operator.get(path)).body.data).toEqual([]);
  expect((await operator.get("/users/u_none/sessions")).status).toBe(404);
});

test("a session ends after twelve hours, even if it is in use", async () => {
  const { user } = await signUp();
  const ada = await signIn({ api_key: user.api_key });
  const startedAt = ada.session.expires_at - 12 * 3600;
  expect(startedAt).toBeCloseTo(Date.now() / 1000, -2);
  await env.DB.prepare("UPDATE sessions SET expires_at = ? WHERE id = ?")
    .bind(Math.floor(Date.now() / 1000) + 3, ada.session.id)
    .run();
  expect(await ada.get("/v1/users/me")).toMatchObject({ status: 200 });
  await expect.poll(() => ada.get("/v1/users/me")).toMatchObject(UNAUTHORIZED);
  expect(await ada.get("/console/session")).toMatchObject(UNAUTHORIZED);
});
