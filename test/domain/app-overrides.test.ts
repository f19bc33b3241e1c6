import { expect, test } from "vitest";

import { overridden, OverrideSettings, signInOf } from "#domain/app-overrides.ts";
import { testRequest } from "#domain/app-test.ts";
import { appOf } from "#domain/apps.ts";
import { AppSettings } from "#domain/connect/app-settings.ts";

const shop = appOf("shop", ["api_key"], AppSettings.parse({ request: { headers: { a: "1" } } }));

test("a project's settings override the fields with the same names, and add others", () => {
  const settings = OverrideSettings.parse({
    fields: [{ name: "api_key", label: "Key" }, { name: "base_url" }],
  });
  expect(overridden(shop, settings).fields).toMatchObject([
    { name: "api_key", label: "Key", secret: true, optional: false },
    { name: "base_url", label: "Base Url", secret: true, optional: false },
  ]);
  expect(overridden(shop, {})).toEqual(shop);
});

test("a project's test request has the headers of the app, and its own", () => {
  const settings = OverrideSettings.parse({
    test: { url: "https://api.shop.example/me", headers: { "x-key": "{{api_key}}" } },
  });
  expect(testRequest(overridden(shop, settings), { api_key: "k" })).toEqual({
    url: "https://api.shop.example/me",
    method: "GET",
    headers: { "accept-encoding": "identity", a: "1", "x-key": "k" },
  });
});

test("a project's endpoints replace the operator's, and the scopes stay", () => {
  const endpoints = { authorize_url: "https://b.example/", token_url: "https://b.example/token" };
  const more = { parameters: {}, pkce: false, client_authentication: "basic" } as const;
  const oauth = { authorize_url: "https://a.example/", token_url: "https://a.example/token" };
  const app = appOf("shop", [], AppSettings.parse({ oauth: { ...oauth, scopes: ["read"] } }));
  expect(signInOf(app.oauth, { ...endpoints, ...more })).toMatchObject({
    authorizeUrl: "https://b.example/",
    tokenUrl: "https://b.example/token",
    scopes: ["read"],
    scopeProfiles: {},
    parameters: {},
    pkce: false,
    authentication: "basic",
  });
  expect(signInOf(app.oauth, null)).toBe(app.oauth);
});
