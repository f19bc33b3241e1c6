// @suites loader

import { expect, test } from "vitest";

import { filledIn } from "#domain/app-templates.ts";
import { appOf, mayReceive, needsAccount, readsAuth } from "#domain/apps.ts";
import { AppSettings } from "#domain/connect/app-settings.ts";

import { operator } from "../support/client.ts";

const slug = () => `app_${crypto.randomUUID().slice(0, 8)}`;

test("an operator describes an app, and deletes the description", async () => {
  const path = `/apps/${slug()}`;
  expect(await operator.get(path)).toMatchObject({ status: 404 });
  const described = {
    name: "Shop",
    auth_type: "keys",
    categories: ["Commerce"],
    fields: [
      { name: "api_key", label: "API key" },
      { name: "region", secret: false, optional: true },
    ],
  };
  const { body } = await operator.put(path, described);
  expect(body.data).toMatchObject({ name: "Shop", auth_type: "keys", categories: ["Commerce"] });
  expect(JSON.parse(body.data.custom_fields_json)).toMatchObject([
    { name: "api_key", type: "password", label: "API key", optional: false },
    { name: "region", type: "string", label: "Region", optional: true },
  ]);
  expect((await operator.get(path)).body).toMatchObject(body);
  expect(await operator.delete(path)).toMatchObject({ status: 204 });
  expect(await operator.delete(path)).toMatchObject({ status: 404 });
});

test.each([
  [{ colour: "red" }, "colour: is not a known field"],
  [{ fields: [{ name: "api key" }] }, "fields.0.name: must be a name as in code"],
  [{ fields: [{ name: "a" }, { name: "a" }] }, "fields: must have names that differ"],
  [
    { oauth: { authorize_url: "javascript:alert(1)", token_url: "https://a.example" } },
    "oauth.authorize_url",
  ],
  [{ request: { hosts: ["https://a.example"] } }, "request.hosts.0: must be a host"],
])("rejects settings such as %j", async (settings, message) => {
  const refused = await operator.put(`/apps/${slug()}`, settings);
  expect(refused.status).toBe(400);
  expect(refused.body.error).toContain(message);
});

test("derives missing settings from the fields that components read", () => {
  expect(appOf("github", ["oauth_access_token", "oauth_uid"])).toMatchObject({
    name: "Github",
    authType: "oauth",
    fields: [],
    request: { headers: { authorization: "Bearer {{oauth_access_token}}" } },
  });
  const keys = appOf("my_shop", ["api_key", "domain", "api_key"]);
  expect(keys).toMatchObject({
    name: "My Shop",
    authType: "keys",
    fields: [
      { name: "api_key", label: "Api Key", secret: true },
      { name: "domain", secret: false },
    ],
  });
  expect(needsAccount(keys)).toBe(true);
  expect(needsAccount(appOf("rss", []))).toBe(false);
  const optional = AppSettings.parse({
    auth_type: "keys",
    fields: [{ name: "a", optional: true }],
  });
  expect(needsAccount(appOf("free", [], optional))).toBe(false);
});

test.for([
  ["Object.keys(this.$auth)", false],
  ["Reflect.ownKeys( this.shop?.$auth )", false],
  ["Object.keys(this.$auth).length && this.$auth.key", true],
  ["Object.values(this.$auth)", true],
  ["Object.keys(this.$auth.nested)", true],
  ["const token = 1;", false],
  ["methods: {\n  // this.$auth has the account\n  /* as $auth.key */ keys() {} }", false],
  ['fetch("https://a.test/*" + this.$auth.key, { accept: "*/*" })', true],
] as const)("whether code reads credentials: %s, %s", ([code, expected]) => {
  expect(readsAuth(code)).toBe(expected);
});

test("credentials are sent to an app's own hosts alone", () => {
  const request = {
    baseUrl: "https://{{domain}}/api",
    hosts: ["*.example.com", "api.example.org"],
    headers: {},
    query: {},
  };
  const may = (url: string) => mayReceive(request, { domain: "shop.example.net" }, new URL(url));
  expect(may("https://shop.example.net/x")).toBe(true);
  expect(may("https://a.example.com/x")).toBe(true);
  expect(may("https://api.example.org/x")).toBe(true);
  expect(may("https://evilexample.com/x")).toBe(false);
  expect(may("https://api.example.org.evil.example/x")).toBe(false);
  expect(may("https://api.example.org:8443/x")).toBe(false);
  expect(filledIn("k {{a}}", { a: "1" })).toBe("k 1");
  expect(filledIn("k {{constructor}}", {})).toBeUndefined();
});
