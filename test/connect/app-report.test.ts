// @suites loader

import { expect, test } from "vitest";

import type { LoadedEntry } from "#domain/connect/catalogue.ts";
import { newToken } from "#domain/ids.ts";

import { useCatalogue } from "../support/catalogue.ts";
import { operator, ORIGIN } from "../support/client.ts";
import { newCustomer } from "../support/connect.ts";

const OAUTH = {
  authorize_url: "https://shop.example.com/authorize",
  token_url: "https://shop.example.com/token",
  scopes: ["read"],
  pkce: true,
  client_authentication: "basic" as const,
};

/** An entry of the catalogue whose slug only one test has. */
function newEntry(): LoadedEntry {
  const slug = `shop_${newToken().toLowerCase()}`;
  return {
    slug,
    aliases: [],
    family: `${slug}_family`,
    settings: { name: "Shop", description: "Sells", auth_type: "oauth", oauth: OAUTH },
    guide: {
      docs: "https://shop.example.com/docs",
      client: { create_at: "https://shop.example.com/apps", redirect_field: "Callback URL" },
    },
  };
}

type Settled = { field: string; value: unknown; origin: string };

/** The origins of an app's fields, by their paths. */
async function originsOf(slug: string, query = "") {
  const { status, body } = await operator.get(`/apps/${slug}${query}`);
  expect(status).toBe(200);
  const settings: Settled[] = body.data.settings;
  return Object.fromEntries(settings.map(({ field, origin }) => [field, origin]));
}

test("the operator sees the place that states each field of an app", async () => {
  const entry = newEntry();
  const { slug } = entry;
  useCatalogue([entry]);
  const component_code = `
    const shop = { type: "app", app: "${slug}", methods: { url() { return this.$auth.region; } } };
    export default { key: "${slug}-order", name: "Order", version: "0.0.1", type: "action",
      props: { shop }, run() {} };`;
  expect((await operator.post("/registry", { component_code })).status).toBe(200);
  await operator.put(`/apps/${slug}`, { name: "My shop", oauth: { scopes: ["write"] } });
  expect(await originsOf(slug)).toEqual({
    name: "operator",
    description: "catalogue",
    auth_type: "catalogue",
    "fields.region": "code",
    "oauth.authorize_url": "catalogue",
    "oauth.token_url": "catalogue",
    "oauth.scopes": "operator",
    "oauth.pkce": "catalogue",
    "oauth.client_authentication": "catalogue",
  });
  const customer = await newCustomer();
  const { project, server } = customer;
  await server.post("/oauth_apps", {
    app: slug,
    client_id: "c",
    client_secret: "s",
    scopes: ["x"],
  });
  await server.post("/app_overrides", {
    app: slug,
    name: "Europe",
    cfmap: {},
    fields: [{ name: "region", label: "Land" }],
  });
  expect(await originsOf(slug, `?project_id=${project}`)).toMatchObject({
    "fields.region": "project",
    "oauth.scopes": "project",
    "oauth.token_url": "catalogue",
    name: "operator",
  });
  const missing = await operator.get(`/apps/${slug}?project_id=proj_${"0".repeat(32)}`);
  expect(missing.status).toBe(404);
});

test("settings of signing in make an app one of OAuth, and name the place of that", async () => {
  useCatalogue([]);
  const slug = `shop_${newToken().toLowerCase()}`;
  await operator.put(`/apps/${slug}`, { oauth: OAUTH });
  expect(await originsOf(slug)).toMatchObject({ auth_type: "operator", name: "code" });
  expect((await operator.get(`/apps/${slug}`)).body.data).toMatchObject({
    auth_type: "oauth",
    state: "needs_client",
    client_app: slug,
    guide: null,
  });
});

test("the list says which apps are ready, and how to set up the others", async () => {
  const entry = newEntry();
  useCatalogue([entry]);
  const list = async () => (await operator.get(`/apps?q=${entry.slug}`)).body;
  const needy = await list();
  expect(needy.page_info).toMatchObject({ total_count: 1, count: 1 });
  expect(needy.data).toMatchObject([
    {
      name_slug: entry.slug,
      state: "needs_client",
      has_own_settings: false,
      client_app: entry.family,
      client_id: null,
      redirect_uri: `${ORIGIN}/connect/oauth/${entry.family}/callback`,
      guide: {
        docs: "https://shop.example.com/docs",
        create_at: "https://shop.example.com/apps",
        redirect_field: "Callback URL",
        https_only: false,
        review: null,
      },
    },
  ]);
  await operator.post("/oauth_apps", { app: entry.family, client_id: "id", client_secret: "s" });
  expect((await list()).data).toMatchObject([{ state: "ready", client_id: "id" }]);
  await operator.delete(`/oauth_apps/${entry.family}`);
});

test("what was stored with a client is shown as an override, and dropped by one call", async () => {
  const entry = newEntry();
  const { slug } = entry;
  useCatalogue([entry]);
  const stored = {
    app: slug,
    client_id: "id",
    client_secret: "s",
    token_url: "https://old.example.com/token",
    client_authentication: "body",
  };
  const { body } = await operator.post("/oauth_apps", stored);
  expect(body.data.overrides).toEqual(["token_url", "client_authentication"]);
  expect(await originsOf(slug)).toMatchObject({
    "oauth.refresh_url": "operator",
    "oauth.client_authentication": "operator",
    "oauth.token_url": "catalogue",
  });
  expect((await operator.get(`/apps/${slug}`)).body.data.client_overrides).toHaveLength(2);
  const dropped = await operator.delete(`/oauth_apps/${slug}/overrides`);
  expect(dropped).toMatchObject({
    status: 200,
    body: {
      data: {
        client_id: "id",
        token_url: OAUTH.token_url,
        client_authentication: "basic",
        overrides: [],
      },
    },
  });
  expect(await originsOf(slug)).not.toHaveProperty("oauth.refresh_url");
  expect(await originsOf(slug)).toMatchObject({ "oauth.client_authentication": "catalogue" });
  await operator.delete(`/oauth_apps/${slug}`);
  expect((await operator.delete(`/oauth_apps/${slug}/overrides`)).status).toBe(404);
});

test("overrides of a client stay if its app states no URL", async () => {
  useCatalogue([]);
  const app = `shop_${newToken().toLowerCase()}`;
  const client = { app, client_id: "id", client_secret: "s" };
  await operator.post("/oauth_apps", { ...client, token_url: "https://old.example.com/token" });
  const { status, body } = await operator.delete(`/oauth_apps/${app}/overrides`);
  expect([status, JSON.stringify(body)]).toEqual([
    400,
    expect.stringContaining("token_url: is required"),
  ]);
  expect((await operator.get(`/oauth_apps/${app}`)).body.data.overrides).toHaveLength(2);
  await operator.delete(`/oauth_apps/${app}`);
});
