// @suites loader

import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";

import { operator } from "../support/client.ts";
import { newBrowser, newCustomer } from "../support/connect.ts";
import { tokens } from "../support/oauth.ts";
import { fillIn, visit } from "../support/pages.ts";
import { GRANTED, newProvider, providerUrlIn } from "../support/provider.ts";
import { upstream } from "../support/proxy.ts";
import { sentAway } from "../support/sign-in.ts";
import { newReceiver } from "../support/webhook.ts";

type Customer = Awaited<ReturnType<typeof newCustomer>>;

/** The path on which a user of a project connects an account. */
async function pathOf(customer: Customer, query: Record<string, string>, more: object = {}) {
  const { token } = await newBrowser(customer, "one", more);
  return (step = "") => `/connect/${token}${step}?${new URLSearchParams(query).toString()}`;
}

/** An app without the operator's settings of its provider. */
async function newApp(more: object = {}): Promise<string> {
  const slug = `shop_${newToken().toLowerCase()}`;
  await operator.put(`/apps/${slug}`, { name: "Shop", ...more });
  return slug;
}

test("a project configures its users' sign-in, and the provider refreshes their tokens", async () => {
  const customer = await newCustomer();
  const server = await newReceiver(GRANTED);
  const app = await newApp({ auth_type: "oauth", fields: [] });
  const oauth = {
    authorize_url: "https://shop.example.com/authorize?prompt=login",
    token_url: server.url,
    pkce: false,
    parameters: { audience: "api" },
    client_authentication: "basic",
  };
  const input = { app, client_id: "ours", client_secret: "s", scopes: ["read"], oauth };
  const { status, body } = await customer.server.post("/oauth_apps", input);
  expect({ status, body }).toMatchObject({ status: 200, body: { oauth, scopes: ["read"] } });
  const path = await pathOf(customer, { app });
  const { url, callback } = await sentAway(path("/authorize"), body.id);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    prompt: "login",
    audience: "api",
    client_id: "ours",
  });
  expect(url.searchParams.has("code_challenge")).toBe(false);
  expect((await callback()).text).toContain("is connected");
  const [received] = await server.received();
  expect(received?.headers["authorization"]).toMatch(/^Basic /);
  const changed = await customer.server.put(`/oauth_apps/${body.id}`, { oauth: null });
  expect(changed.body.oauth).toBeUndefined();
  const closed = await visit((await pathOf(customer, { app }))());
  expect(closed.text).toContain("has not been set up here yet");
});

test("a link requests only the scopes of a profile in the app's settings", async () => {
  const customer = await newCustomer();
  const { app } = await newProvider(GRANTED);
  const oauth = {
    authorize_url: "https://shop.example.com/authorize",
    token_url: "https://shop.example.com/token",
    scopes: ["read", "write"],
    scope_profiles: { read_only: ["read"] },
  };
  await operator.put(`/apps/${app}`, { name: "Shop", fields: [], oauth });
  const { body } = await customer.connect.get(`/apps/${app}`);
  expect(body.data.scope_profiles).toEqual([{ name: "read_only", scopes: ["read"] }]);
  const path = await pathOf(customer, { app, oauthScopeProfile: "read_only" });
  const { text } = await fillIn(path("/authorize"), {});
  expect(providerUrlIn(text).searchParams.get("scope")).toBe("read");
  for (const oauthScopeProfile of ["admin", "constructor"]) {
    const unknown = await visit((await pathOf(customer, { app, oauthScopeProfile }))());
    expect(unknown.text).toContain(`Shop has no scope profile ${oauthScopeProfile}.`);
  }
});

test.for([
  [false, "was not given permission for write", 0],
  [true, "is connected", 1],
  [null, "is connected", 1],
] as const)(
  "with allow_progressive_scopes %j a grant of fewer scopes: %s",
  async ([allowed, words, accounts]) => {
    const customer = await newCustomer();
    const { app } = await newProvider(tokens({ access_token: "t", scope: "read" }));
    const more = { allow_progressive_scopes: allowed };
    const path = await pathOf(customer, { app }, more);
    const { callback } = await sentAway(path("/authorize"), app);
    expect((await callback()).text).toContain(words);
    expect((await customer.server.get("/accounts")).body.data).toHaveLength(accounts);
  },
);

test("a project configures its users' fields, and the request that tests them", async () => {
  const customer = await newCustomer();
  const { server, project, connect } = customer;
  const app = await newApp({ auth_type: "keys", fields: [{ name: "api_key", label: "Key" }] });
  const { body: override } = await server.post("/app_overrides", {
    app,
    name: "Ours",
    fields: [
      { name: "api_key", label: "Your key", description: "From your settings", secret: false },
      { name: "region", optional: true },
    ],
    test: { url: `${upstream}/status/{{region}}` },
  });
  expect(JSON.parse(override.app.custom_fields_json)).toMatchObject([
    { name: "api_key", label: "Your key", type: "string", optional: false },
    { name: "region", label: "Region", type: "password", optional: true },
  ]);
  await connect.as("PATCH")(`/projects/${project}`, { connect_require_key_auth_test: true });
  const path = await pathOf(customer, { app, appOverrideId: override.id });
  expect((await visit(path())).text).toContain("From your settings");
  const refused = await fillIn(path(), { api_key: "a", region: "401" });
  expect(refused.text).toContain("does not accept these details");
  expect((await fillIn(path(), { api_key: "a", region: "200" })).text).toContain("is connected");
  const changed = await server.put(`/app_overrides/${override.id}`, { fields: [] });
  expect(JSON.parse(changed.body.app.custom_fields_json)).toMatchObject([{ label: "Key" }]);
  expect(changed.body.test).toEqual(override.test);
});

test.for([
  ["/app_overrides", { fields: [{ name: "a b" }] }, "fields.0.name: must be a name as in code"],
  ["/app_overrides", { fields: [{ name: "a", lable: "A" }] }, "lable"],
  ["/app_overrides", { test: { url: "x", method: "POST" } }, "method"],
  ["/oauth_apps", { oauth: { token_url: "https://x.example/" } }, "oauth.authorize_url"],
  [
    "/oauth_apps",
    { oauth: { authorize_url: "javascript:1", token_url: "https://x.example/" } },
    "oauth.authorize_url",
  ],
] as const)("%s rejects %j", async ([path, more, message]) => {
  const [{ server }, app] = [await newCustomer(), await newApp()];
  const client = { client_id: "c", client_secret: "s" };
  const input = path === "/oauth_apps" ? { app, ...client, ...more } : { app, name: "a", ...more };
  const refused = await server.post(path, input);
  expect(refused.status).toBe(400);
  expect(refused.body.error).toContain(message);
});
