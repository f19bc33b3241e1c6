// @suites loader

import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";

import { operator } from "../support/client.ts";
import { newBrowser, newCustomer } from "../support/connect.ts";
import { fillIn } from "../support/pages.ts";

/** An app with a sign-in and an optional region. */
async function newApp(more: object = {}): Promise<string> {
  const slug = `shop_${newToken().toLowerCase()}`;
  await operator.put(`/apps/${slug}`, {
    name: "Shop",
    fields: [
      { name: "region", label: "Region", secret: false },
      { name: "api_key", label: "API key" },
    ],
    oauth: {
      authorize_url: "https://shop.example.com/authorize",
      token_url: "https://shop.example.com/token",
      scopes: ["read"],
    },
    ...more,
  });
  return slug;
}

const CLIENT = { client_id: "ours", client_secret: "secret-1" };

type Customer = Awaited<ReturnType<typeof newCustomer>>;

/** The URL to which a link's page sends the browser of a user who signs in. */
async function signInUrl(customer: Customer, query: Record<string, string>): Promise<URL> {
  const { token } = await newBrowser(customer, "one");
  const path = `/connect/${token}/authorize?${new URLSearchParams(query).toString()}`;
  const { text } = await fillIn(path, { region: "eu", api_key: "k" });
  const [, href = ""] = /href="(https:[^"]+authorize[^"]+)"/.exec(text) ?? [];
  return new URL(href.replaceAll("&amp;", "&"));
}

test("a project adds its own OAuth clients, whose secrets are never shown", async () => {
  const [{ server, project }, app] = [await newCustomer(), await newApp()];
  const input = { app, ...CLIENT, name: "Ours", additional_scopes: ["write"] };
  const { status, body } = await server.post("/oauth_apps", input);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      id: expect.stringMatching(/^oa_/),
      name: "Ours",
      name_slug: app,
      auth_type: "oauth",
      client_id: "ours",
      additional_scopes: ["write"],
      redirect_uri: expect.stringContaining(`/connect/oauth/${body.id}/callback`),
      owner_id: project,
    },
  });
  expect(JSON.stringify(body)).not.toContain("secret-1");
  const changed = await server.put(`/oauth_apps/${body.id}`, { client_id: "other", scopes: [] });
  expect(changed.body).toMatchObject({ client_id: "other", scopes: [], name: "Ours" });
  expect((await server.get(`/oauth_apps/${body.id}`)).body).toEqual(changed.body);
  expect((await server.get(`/oauth_apps?app=${app}&q=our`)).body.data).toEqual([changed.body]);
  expect((await server.get("/oauth_apps?app=other")).body.data).toEqual([]);
  const info = await server.get("/projects/info");
  expect(info.body).toEqual({ apps: [{ id: body.id, name_slug: app }] });
  expect((await server.delete(`/oauth_apps/${body.id}`)).status).toBe(204);
  expect((await server.get(`/oauth_apps/${body.id}`)).status).toBe(404);
});

test("the operator's client of an app has its token URL by default", async () => {
  const client = { client_id: "operators", client_secret: "s" };
  const app = await newApp();
  const { body } = await operator.post("/oauth_apps", { app, ...client });
  expect(body.data.token_url).toBe("https://shop.example.com/token");
  const unknown = await operator.post("/oauth_apps", { app: `${app}-unknown`, ...client });
  expect([unknown.status, unknown.body.error]).toEqual([
    400,
    `token_url: is required: ${app}-unknown has no oauth settings`,
  ]);
});

test("a secret with a default need not be entered, because the form does not show it", async () => {
  const fields = [{ name: "api_key", label: "API key", default: "sandbox-key" }];
  const app = await newApp({ auth_type: "keys", oauth: undefined, fields });
  const { token } = await newBrowser(await newCustomer(), "one");
  const { text } = await fillIn(`/connect/${token}?app=${app}`, {});
  expect(text).toContain("Shop is connected");
});

test("users sign in by the requested client, else the operator's, else the project's newest", async () => {
  const [customer, app] = [await newCustomer(), await newApp()];
  const { server } = customer;
  const { body: own } = await server.post("/oauth_apps", { app, ...CLIENT, scopes: ["all"] });
  await server.post("/oauth_apps", {
    app,
    ...CLIENT,
    client_id: "newer",
    additional_scopes: ["write"],
  });
  const named = await signInUrl(customer, { app, oauthAppId: own.id });
  expect(named.searchParams.get("client_id")).toBe("ours");
  expect(named.searchParams.get("scope")).toBe("all");
  expect(named.searchParams.get("redirect_uri")).toBe(own.redirect_uri);
  const newest = await signInUrl(customer, { app });
  expect(newest.searchParams.get("client_id")).toBe("newer");
  expect(newest.searchParams.get("scope")).toBe("read write");
  await operator.post("/oauth_apps", {
    app,
    token_url: "https://shop.example.com/token",
    client_id: "operators",
    client_secret: "s",
  });
  const operators = await signInUrl(customer, { app });
  expect(operators.searchParams.get("client_id")).toBe("operators");
  const [stranger, { token }] = [await newCustomer(), await newBrowser(customer, "one")];
  const { body: theirs } = await stranger.server.post("/oauth_apps", { app, ...CLIENT });
  const page = await fillIn(`/connect/${token}/authorize?app=${app}&oauthAppId=${theirs.id}`, {});
  expect(page.text).toContain("has not been set up here yet");
});

test("a project sets fields for its users, who need not enter them", async () => {
  const customer = await newCustomer();
  const { server } = customer;
  const app = await newApp({ auth_type: "keys", oauth: undefined });
  const { body: override } = await server.post("/app_overrides", {
    app,
    name: "Europe",
    cfmap: { region: "eu", api_key: "shared-1" },
  });
  expect(override).toMatchObject({
    id: expect.stringMatching(/^aov_/),
    name: "Europe",
    app: { name_slug: app },
    cfmap: { region: "eu" },
    owner_id: customer.project,
  });
  expect(JSON.stringify(override)).not.toContain("shared-1");
  expect((await server.get(`/app_overrides/${override.id}`)).body).toEqual(override);
  expect((await server.get(`/app_overrides?app=${app}`)).body.data).toEqual([override]);
  const changed = await server.put(`/app_overrides/${override.id}`, {
    name: "Asia",
    cfmap: { region: "as" },
  });
  expect(changed.body).toMatchObject({ name: "Asia", cfmap: { region: "as" } });
  const { token } = await newBrowser(customer, "one");
  const account = await server.post("/accounts", {
    connect_token: token,
    app_slug: app,
    cfmap_json: JSON.stringify({ api_key: "own-1" }),
    app_override_id: override.id,
  });
  expect(account.status).toBe(200);
  expect((await server.delete(`/app_overrides/${override.id}`)).status).toBe(204);
  expect((await server.get(`/app_overrides/${override.id}`)).status).toBe(404);
});

test.each(["evil.example/", "evil.example?", "evil.example#", "a@evil.example", "evil.example\\"])(
  "a user cannot type %s into the host that receives the secret of a project",
  async (subdomain) => {
    const customer = await newCustomer();
    const { server } = customer;
    const app = await newApp({
      auth_type: "keys",
      oauth: undefined,
      fields: [{ name: "subdomain" }, { name: "api_key" }],
      request: {
        base_url: "https://{{subdomain}}.shop.example",
        headers: { "x-api-key": "{{api_key}}" },
      },
    });
    const cfmap = { api_key: "shared-1" };
    const { body: override } = await server.post("/app_overrides", { app, name: "All", cfmap });
    const { token } = await newBrowser(customer, "one");
    const typed = await server.post("/accounts", {
      connect_token: token,
      app_slug: app,
      cfmap_json: JSON.stringify({ subdomain }),
      app_override_id: override.id,
    });
    expect([typed.status, typed.body.error]).toEqual([
      400,
      expect.stringContaining("letters, digits, dots and hyphens only"),
    ]);
    expect((await server.get("/accounts")).body.data).toEqual([]);
  },
);

test.for([
  ["/oauth_apps", { app: "nowhere", ...CLIENT }, "app: there is no app nowhere"],
  ["/oauth_apps", { app: "nowhere", client_id: "c" }, "client_secret"],
  ["/oauth_apps", { app: "nowhere", ...CLIENT, token_url: "https://x.example" }, "token_url"],
  ["/app_overrides", { app: "nowhere", name: "a" }, "app: there is no app nowhere"],
  ["/app_overrides", { name: "a", cfmap: { other: "1" } }, "cfmap.other: is not a field of"],
  ["/app_overrides", { name: "a", oauth_app_id: "oa_none" }, "oauth_app_id: there is no OAuth app"],
] as const)("%s rejects %j", async ([path, input, message]) => {
  const [{ server }, app] = [await newCustomer(), await newApp()];
  const refused = await server.post(path, { app, ...input });
  expect(refused.status).toBe(400);
  expect(refused.body.error).toContain(message);
  expect((await server.get(path)).body.data).toEqual([]);
});
