// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { testOutcome, testRequest } from "#domain/app-test.ts";
import { appOf } from "#domain/apps.ts";
import { catalogueOf, type LoadedEntry } from "#domain/connect/catalogue.ts";
import type { Id } from "#domain/ids.ts";

import { newAccount } from "../support/accounts.ts";
import { ENTRIES } from "../support/app-entries.ts";
import { useCatalogue } from "../support/catalogue.ts";
import { operator, signUp } from "../support/client.ts";
import { newCustomer } from "../support/connect.ts";
import { now, tokens } from "../support/oauth.ts";
import { linkOf, sentAway } from "../support/sign-in.ts";
import { newReceiver } from "../support/webhook.ts";

const KEYS = [...ENTRIES].filter(
  ([, { auth_type, test: request }]) => auth_type === "keys" && request,
);

test.for(KEYS)("%s: its test sends the keys to a host of the app", ([slug, entry]) => {
  const app = appOf(slug, [], entry);
  const values = app.fields.map(({ name }) => {
    const value = `value-of-${name.toLowerCase().replaceAll("_", "-")}`;
    // A whole URL, where the app has hosts of its own.
    return [name, app.request.baseUrl?.startsWith(`{{${name}}}`) ? `https://${value}` : value];
  });
  const request = testRequest(app, Object.fromEntries(values));
  const sent = JSON.stringify(request);
  expect(request?.url).toMatch(/^https?:\/\/[a-z0-9.-]+(?::\d+)?\//);
  expect(sent).not.toContain("{{");
  const decoded = sent.replaceAll(/Basic ([\w+/=]+)/g, (_, text: string) => atob(text));
  expect(decoded).toContain("value-of-");
});

test("slugs, aliases and families of the catalogue do not clash", () => {
  const names = [...ENTRIES].flatMap(([slug, { aliases }]) => [slug, ...aliases]);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  const inconsistent = [...ENTRIES].filter(([, { auth_type, oauth, fields = [], client }]) =>
    auth_type === "oauth" ? !oauth : oauth !== undefined || client || fields.length === 0,
  );
  expect(inconsistent.map(([slug]) => slug)).toEqual([]);
});

test("each fact of the catalogue that decides where secrets go has a proof", () => {
  const unproven = [...ENTRIES].flatMap(([slug, { sources, oauth, request, test: tested }]) => {
    const facts = {
      authorize_url: oauth?.authorize_url,
      token_url: oauth?.token_url,
      refresh_url: oauth?.refresh_url,
      revoke_url: oauth?.revoke_url,
      request,
      test: tested,
    };
    return Object.entries(facts)
      .filter(([name, fact]) => fact !== undefined && !Object.hasOwn(sources, name))
      .map(([name]) => `${slug}: ${name}`);
  });
  expect(unproven).toEqual([]);
});

const SHOP: LoadedEntry = {
  slug: "shop",
  aliases: ["shop_v2"],
  family: "shops",
  settings: {
    name: "Shop",
    description: "Sells things",
    auth_type: "oauth",
    categories: ["Commerce"],
    oauth: {
      authorize_url: "https://shop.example.com/authorize",
      token_url: "https://shop.example.com/token",
      scopes: ["read"],
      scope_separator: ",",
      pkce: false,
      client_authentication: "basic",
    },
    request: { base_url: "https://api.shop.example.com" },
  },
};

const till = (token_url: string): LoadedEntry => ({
  slug: "till",
  aliases: [],
  family: "shops",
  settings: {
    ...SHOP.settings,
    name: "Till",
    oauth: {
      ...SHOP.settings.oauth,
      token_url,
      credentials: { home: { from: "query.home", hosts: ["*.shop.example.com"] } },
    },
  },
});

test("apps of the catalogue are listed and read, and the operator's settings go over it, one by one", async () => {
  useCatalogue([SHOP]);
  const { connect } = await newCustomer();
  const list = async (query: string) =>
    (await connect.get(`/apps?${query}`)).body.data.map(
      ({ name_slug }: { name_slug: string }) => name_slug,
    );
  expect(await list("q=sho")).toEqual(["shop"]);
  expect(await list("q=shop_v")).toEqual([]);
  expect(await list("q=Shop_V2")).toEqual(["shop_v2"]);
  const { body } = await connect.get("/apps/shop");
  expect(body.data).toMatchObject({ name: "Shop", auth_type: "oauth", categories: ["Commerce"] });
  expect((await connect.get("/apps/shop_v2")).body.data).toMatchObject({
    id: "shop_v2",
    name: "Shop",
  });
  const [category] = (await connect.get("/app_categories")).body;
  expect(category.name).toBe("Commerce");
  expect(await list(`category_ids=${category.id}`)).toEqual(["shop"]);
  await operator.put("/apps/shop", { name: "My shop", oauth: { scopes: ["write"] } });
  await operator.post("/oauth_apps", { app: "shop", client_id: "id", client_secret: "s" });
  const { url } = await sentAway(await linkOf(await signUp(), "shop"), "shop");
  expect(url.href).toContain("https://shop.example.com/authorize?scope=write&");
  expect((await connect.get("/apps/shop")).body.data).toMatchObject({
    name: "My shop",
    auth_type: "oauth",
  });
  await operator.delete("/apps/shop");
  await operator.delete("/oauth_apps/shop");
});

test("settings of signing in without a URL are refused for an app that is not in the catalogue", async () => {
  const { status, body } = await operator.put("/apps/unheard_of", { oauth: { scopes: ["read"] } });
  expect({ status, text: JSON.stringify(body) }).toEqual({
    status: 400,
    text: expect.stringContaining("oauth.authorize_url: is required"),
  });
});

test("a client of one app, an alias or the family serves all of its siblings", async () => {
  useCatalogue([SHOP, till("https://shop.example.com/token")]);
  for (const app of ["shops", "shop_v2", "till"]) {
    await operator.post("/oauth_apps", { app, client_id: `of ${app}`, client_secret: "s" });
    for (const slug of ["shop", "till"]) {
      const { url } = await sentAway(await linkOf(await signUp(), slug), slug);
      expect(url.searchParams.get("client_id")).toBe(`of ${app}`);
      expect(url.searchParams.get("redirect_uri")).toMatch(`/connect/oauth/${app}/callback`);
    }
    await operator.delete(`/oauth_apps/${app}`);
  }
  expect(catalogueOf([SHOP]).get("shop")?.siblings).toEqual(["shop", "shops", "shop_v2"]);
});

test.for([
  "evil.example",
  "shop.example.com.evil.example",
  "a.shop.example.com/x@evil.example",
  "a.shop.example.com:8080",
  "https://user@a.shop.example.com",
])("a sign-in that returns the host %s is refused, and the secret is not sent", async (home) => {
  const server = await newReceiver(tokens({ access_token: "token-1" }));
  useCatalogue([till(server.url)]);
  await operator.post("/oauth_apps", { app: "till", client_id: "id", client_secret: "s" });
  const ada = await signUp();
  const { callback } = await sentAway(await linkOf(ada, "till"), "till");
  expect((await callback({ code: "code-1", home })).text).toContain("Till returned an address");
  expect((await ada.get("/accounts")).body.data).toEqual([]);
  await operator.delete("/oauth_apps/till");
});

test.for([
  ["token_url", "https://{{home}}/token"],
  ["token_url", "https://{{home}}:443/token"],
  ["authorize_url", "https://shop.{{home}}/authorize"],
  ["refresh_url", "{{home}}/token"],
  ["revoke_url", "https://{{home}}/revoke"],
  ["token_url", "https://{{home}}.com/token"],
])("users cannot choose the host that gets a client's secret: %s %s", async ([field = "", url]) => {
  const oauth = { ...SHOP.settings.oauth, [field]: url };
  const { status, body } = await operator.put("/apps/chosen", { oauth });
  expect({ status, text: JSON.stringify(body) }).toEqual({
    status: 400,
    text: expect.stringContaining(`oauth.${field}: must have a host that ends with a domain`),
  });
});

test("an account whose host is not the app's gets no refresh, and no server gets the secret", async () => {
  const server = await newReceiver(tokens({ access_token: "token-2" }));
  const { host, pathname } = new URL(server.url);
  useCatalogue([till(`http://{{home}}${pathname}`)]);
  await operator.post("/oauth_apps", { app: "till", client_id: "id", client_secret: "s" });
  const { user } = await signUp();
  const id = (await newAccount(user.id, {
    app: "till",
    credentials: { oauth_access_token: "old", oauth_refresh_token: "r", home: host },
    expires_at: now() + 1000,
  })) as Id<"account">;
  expect(await env.ACCOUNTS.getByName(id).tokenAfter(user.id, "old")).toBeNull();
  expect(await server.received()).toEqual([]);
  await operator.delete("/oauth_apps/till");
});

test("a component of an app of the catalogue needs an account, though its code reads nothing", async () => {
  useCatalogue([SHOP]);
  const ada = await signUp();
  const component_code = `export default { name: "s", version: "0.0.1", props: { shop: { type: "app", app: "shop" } }, run() {} }`;
  const { status, body } = await ada.post("/sources", { component_code });
  expect([status, JSON.stringify(body)]).toEqual([
    400,
    expect.stringContaining("an account of shop is required"),
  ]);
});

test("keys that a provider refuses with status 200 are refused, and its name names the account", () => {
  const app = appOf("shop", ["api_key"], {
    request: { basic: { username: "{{api_key}}", password: "" } },
    test: { url: "https://shop.example.com/me", expect: { ok: true }, account_name: "team.name" },
  });
  const request = testRequest(app, { api_key: "ké" });
  expect(request?.headers["authorization"]).toBe(
    `Basic ${new TextEncoder().encode("ké:").toBase64()}`,
  );
  expect(testOutcome(app.test ?? {}, '{"ok":true,"team":{"name":"Ada"}}')).toEqual({
    isAccepted: true,
    name: "Ada",
  });
  expect(testOutcome(app.test ?? {}, '{"ok":false,"error":"invalid_auth"}')).toEqual({
    isAccepted: false,
  });
  expect(testOutcome(app.test ?? {}, "<html>")).toEqual({ isAccepted: false });
});
