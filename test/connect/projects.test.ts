// @suites loader

import { expect, test } from "vitest";

import { clientOf, request, signUp, workspaceOf } from "../support/client.ts";
import { accessTokenOf, newBrowser, newCustomer } from "../support/connect.ts";

test("an API key creates a project, and an OAuth client reads, lists, changes and deletes it", async () => {
  const { project, connect } = await newCustomer();
  const shop = { id: project, name: "Shop", connect_require_key_auth_test: false };
  expect((await connect.get(`/projects/${project}`)).body).toEqual(shop);
  expect((await connect.get("/projects?q=sho")).body).toMatchObject({
    page_info: { total_count: 1 },
    data: [shop],
  });
  const changed = await connect.as("PATCH")(`/projects/${project}`, { app_name: "The Shop" });
  expect(changed.body).toEqual({ ...shop, app_name: "The Shop" });
  expect(await connect.delete(`/projects/${project}`)).toMatchObject({ status: 204 });
  expect(await connect.get(`/projects/${project}`)).toMatchObject({ status: 404 });
  expect(await connect.get(`/${project}/users`)).toMatchObject({ status: 404 });
});

test("a client of one project accesses that one alone", async () => {
  const { ada, project } = await newCustomer();
  const other = (await ada.post("/connect/projects", { name: "Other" })).body.id;
  const { body } = await ada.post("/connect/oauth_clients", { name: "One", project_id: project });
  const { client_id: clientId, client_secret: clientSecret } = body.data;
  const bound = clientOf(await accessTokenOf({ clientId, clientSecret }), "/v1/connect");
  expect(await bound.get(`/projects/${project}`)).toMatchObject({ status: 200 });
  expect(await bound.get(`/projects/${other}`)).toMatchObject({ status: 404 });
  expect(await bound.get(`/${other}/users`)).toMatchObject({ status: 404 });
  expect(await bound.post("/projects", { name: "More" })).toMatchObject({ status: 403 });
  expect((await bound.get("/projects")).body.page_info.total_count).toBe(1);
});

test("a revoked client gets no token, and its tokens are invalid", async () => {
  const { ada, clientId, clientSecret, connect } = await newCustomer();
  const listed = await ada.get("/connect/oauth_clients");
  expect(listed.body.data).toEqual([
    { client_id: clientId, name: "Server", project_id: null, created_at: expect.any(Number) },
  ]);
  expect(await ada.delete(`/connect/oauth_clients/${clientId}`)).toMatchObject({ status: 204 });
  expect(await connect.get("/projects")).toMatchObject({ status: 401 });
  expect(await accessTokenOf({ clientId, clientSecret })).toBeUndefined();
});

test.each([
  [{ grant_type: "password" }, 400, "unsupported_grant_type"],
  [{}, 400, "invalid_request"],
  [{ grant_type: "client_credentials" }, 400, "invalid_request"],
  [
    { grant_type: "client_credentials", client_id: "oac_none", client_secret: "x" },
    401,
    "invalid_client",
  ],
])("rejects a request for an access token with %j", async (body, status, error) => {
  const refused = await request("POST", "/v1/oauth/token", { body });
  expect(refused).toMatchObject({ status, body: { error } });
});

test("a token is limited to its scopes", async () => {
  const { clientId, clientSecret, project } = await newCustomer();
  const scope = "connect:users:read";
  const token = await accessTokenOf({ clientId, clientSecret, scope });
  const reader = clientOf(token, `/v1/connect/${project}`);
  expect(await reader.get("/users")).toMatchObject({ status: 200 });
  expect(await reader.delete("/users/one")).toMatchObject({ status: 403 });
  expect(await reader.post("/tokens", { external_user_id: "one" })).toMatchObject({ status: 403 });
  expect(await accessTokenOf({ clientId, clientSecret, scope: "all" })).toBeUndefined();
});

test("a connect token is limited to its scopes, except for validate", async () => {
  const customer = await newCustomer();
  const scope = "connect:accounts:read  connect:actions:*";
  const browser = await newBrowser(customer, "one", { scope });
  expect(await browser.get("/accounts")).toMatchObject({ status: 200 });
  expect(await browser.get("/actions")).toMatchObject({ status: 200 });
  for (const [method, path] of [
    ["POST", "/accounts"],
    ["GET", "/deployed-triggers"],
    ["POST", "/triggers/deploy"],
    ["GET", `/${customer.project}/components`],
    ["GET", "/proxy/aHR0cHM6Ly9zaG9wLmV4YW1wbGUv"],
    ["GET", "/apps"],
  ] as const)
    expect([path, await browser.as(method)(path, method === "POST" ? {} : undefined)]).toEqual([
      path,
      expect.objectContaining({
        status: 403,
        body: expect.objectContaining({ error: expect.stringContaining("lacks the scope") }),
      }),
    ]);
  const validated = await request("GET", `/v1/connect/tokens/${browser.token}/validate`);
  expect(validated).toMatchObject({ status: 200, body: { success: true } });
});

test.for(["all", "connect:accounts:read all", " "])(
  "rejects a connect token with the scope %j",
  async (scope) => {
    const { server } = await newCustomer();
    const refused = await server.post("/tokens", { external_user_id: "one", scope });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("scope") },
    });
  },
);

test.for([
  ["connect:tokens:create", undefined, undefined],
  ["connect:tokens:create", "connect:accounts:read", "connect:accounts:read"],
  ["connect:tokens:create", "*", "*"],
  ["connect:tokens:create connect:accounts:read", "connect:accounts:*", "connect:accounts:*"],
  ["connect:tokens:create connect:accounts:*", "connect:accounts:read", undefined],
  ["connect:tokens:*", "connect:tokens:create", undefined],
  ["connect:*", "connect:accounts:write connect:actions:*", undefined],
] as const)(
  "an access token for %s makes a connect token for %s, unless it lacks %s",
  async ([granted, scope, lacking]) => {
    const { clientId, clientSecret, project } = await newCustomer();
    const token = await accessTokenOf({ clientId, clientSecret, scope: granted });
    const server = clientOf(token, `/v1/connect/${project}`);
    const made = await server.post("/tokens", { external_user_id: "one", scope });
    expect([made.status, made.body.error]).toEqual(
      lacking === undefined
        ? [200, undefined]
        : [403, `scope: the access token lacks ${lacking} itself`],
    );
  },
);

test("a connect token has by default the scopes of the access token that made it", async () => {
  const { clientId, clientSecret, project } = await newCustomer();
  const scope = "connect:tokens:create connect:accounts:read";
  const server = clientOf(
    await accessTokenOf({ clientId, clientSecret, scope }),
    `/v1/connect/${project}`,
  );
  const { body } = await server.post("/tokens", { external_user_id: "one" });
  const browser = clientOf(body.token, `/v1/connect/${project}`);
  expect(await browser.get("/accounts")).toMatchObject({ status: 200 });
  expect(await browser.get("/actions")).toMatchObject({ status: 403 });
});

test("external users of one environment are not in the other, and are removed on deletion", async () => {
  const customer = await newCustomer();
  const { server } = customer;
  await newBrowser(customer, "one");
  const users = (environment: string) =>
    server.get("/users", undefined, { "x-pd-environment": environment });
  expect((await users("production")).body.data).toEqual([
    {
      id: expect.stringMatching(/^exu_/),
      external_id: "one",
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ]);
  expect((await users("development")).body.data).toEqual([]);
  expect(await users("staging")).toMatchObject({ status: 400 });
  expect(await server.delete("/users/one")).toMatchObject({ status: 204 });
  expect(await server.delete("/users/one")).toMatchObject({ status: 404 });
  expect((await users("production")).body.data).toEqual([]);
});

test("a connect token cannot call a server's operations", async () => {
  const customer = await newCustomer();
  const browser = await newBrowser(customer, "one");
  expect(browser.link).toMatchObject({
    token: expect.stringMatching(/^ctok_/),
    connect_link_url: `http://wellspring.test/connect/${browser.token}?connectLink=true`,
  });
  for (const path of ["/projects", `/${customer.project}/users`, "/oauth_clients"])
    expect(await browser.get(path)).toMatchObject({ status: 403 });
  const more = { external_user_id: "two" };
  expect(await browser.post(`/${customer.project}/tokens`, more)).toMatchObject({ status: 403 });
});

test("members of a workspace share its projects, and strangers see none", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, bob);
  const { body } = await ada.post("/connect/projects", { name: "Ours", workspace_id: workspace });
  expect(await bob.get(`/connect/projects/${body.id}`)).toMatchObject({ status: 200 });
  expect(await eve.get(`/connect/projects/${body.id}`)).toMatchObject({ status: 404 });
  const theirs = { name: "Not mine", workspace_id: workspace };
  expect(await eve.post("/connect/projects", theirs)).toMatchObject({ status: 404 });
});
