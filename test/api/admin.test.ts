// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { clientOf, operator, request, signUp, workspaceOf } from "../support/client.ts";

test("creates a user with a key that works and is stored as a hash", async () => {
  const created = await operator.post("/users", { username: "ada", email: "ada@example.com" });
  expect(created).toMatchObject({
    status: 200,
    body: {
      data: {
        id: expect.stringMatching(/^u_/),
        username: "ada",
        email: "ada@example.com",
        plan: "free",
        api_key: expect.any(String),
      },
    },
  });

  const { id, api_key } = created.body.data;
  expect(await clientOf(api_key, "/v1").get("/users/me")).toMatchObject({
    status: 200,
    body: { data: { id } },
  });
  const { results } = await env.DB.prepare("SELECT * FROM api_keys WHERE user_id = ?")
    .bind(id)
    .all();
  expect(JSON.stringify(results)).not.toContain(api_key);
});

test("a second key works until it is revoked", async () => {
  const { user, ...first } = await signUp();
  const issued = await operator.post(`/users/${user.id}/api_keys`, { name: "CI" });
  expect(issued).toMatchObject({
    status: 200,
    body: { data: { id: expect.stringMatching(/^key_/), name: "CI" } },
  });

  const { id, api_key } = issued.body.data;
  const second = clientOf(api_key, "/v1");
  expect(await second.get("/users/me")).toMatchObject({ status: 200 });
  expect(await operator.delete(`/api_keys/${id}`)).toMatchObject({ status: 204, body: undefined });
  expect(await second.get("/users/me")).toMatchObject({ status: 401 });
  expect(await first.get("/users/me")).toMatchObject({ status: 200 });
  expect(await operator.delete(`/api_keys/${id}`)).toMatchObject({ status: 404 });
});

test("a new member sees the workspace, and a removed member does not", async () => {
  const ada = await signUp();
  const id = await workspaceOf();
  expect(await ada.get(`/workspaces/${id}`)).toMatchObject({ status: 404 });

  const membership = { status: 200, body: { data: { workspace_id: id, user_id: ada.user.id } } };
  expect(await operator.put(`/workspaces/${id}/members/${ada.user.id}`)).toMatchObject(membership);
  expect(await operator.put(`/workspaces/${id}/members/${ada.user.id}`)).toMatchObject(membership);
  expect(await ada.get(`/workspaces/${id}`)).toMatchObject({ status: 200, body: { data: { id } } });

  expect(await operator.delete(`/workspaces/${id}/members/${ada.user.id}`)).toMatchObject({
    status: 204,
  });
  expect(await ada.get(`/workspaces/${id}`)).toMatchObject({ status: 404 });
});

test.for([
  ["POST", "/users", { username: "ada" }, 400],
  ["POST", "/users", { username: "", email: "ada@example.com" }, 400],
  ["POST", "/users", { username: "ada", email: "nowhere" }, 400],
  ["POST", "/users", { username: "ada", email: "a@b", plan: "gold" }, 400],
  ["POST", "/users/u_nobody/api_keys", {}, 404],
  ["POST", "/workspaces", { orgname: "engines" }, 400],
  ["PUT", "/workspaces/o_none/members/u_nobody", undefined, 404],
  ["DELETE", "/workspaces/o_none/members/u_nobody", undefined, 404],
  ["DELETE", "/api_keys/key_none", undefined, 404],
] as const)("%s %s with %j is rejected", async ([method, path, body, status]) => {
  expect(await operator.as(method)(path, body)).toMatchObject({
    status,
    body: { error: expect.any(String), code: expect.any(String) },
  });
});

test.for(["", "Bearer", "Bearer wrong", "Basic operator", "operator"])(
  "authorization %j does not open the operator plane",
  async (authorization) => {
    for (const path of ["/admin/users", "/admin/openapi.json", "/admin/nowhere"])
      expect(await request("GET", path, { headers: { authorization } })).toMatchObject({
        status: 401,
        body: { code: "unauthorized" },
      });
  },
);

test("a user's key does not open the operator plane, and the admin token opens nothing else", async () => {
  const { user } = await signUp();
  expect(await clientOf(user.api_key, "/admin").get("/openapi.json")).toMatchObject({
    status: 401,
  });
  expect(await clientOf("operator", "/v1").get("/users/me")).toMatchObject({ status: 401 });
});

test("rejects an e-mail address that has a user, in any case, even if an earlier release gave it to several", async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const [first, again, shouted] = [
    await operator.post("/users", { username: "ada", email }),
    await operator.post("/users", { username: "eve", email }),
    await operator.post("/users", { username: "eve", email: email.toUpperCase() }),
  ];
  expect(first).toMatchObject({ status: 200 });
  for (const refused of [again, shouted])
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "conflict", error: expect.stringContaining("email") },
    });
  const count = (address: string) =>
    env.DB.prepare("SELECT count(*) AS n FROM users WHERE lower(email) = ?")
      .bind(address)
      .first("n");
  expect(await count(email)).toBe(1);

  const old = `${crypto.randomUUID()}@example.com`;
  for (const id of ["u_first", "u_second"])
    await env.DB.prepare(
      "INSERT INTO users (id, username, email, plan, created_at, updated_at) VALUES (?, 'old', ?, 'free', 1, 1)",
    )
      .bind(`${id}${old}`, old)
      .run();
  expect(await count(old)).toBe(2);
  const { status } = await operator.post("/users", { username: "new", email: old });
  expect(status).toBe(409);
});
