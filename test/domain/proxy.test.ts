import { expect, test } from "vitest";

import { appOf } from "#domain/apps.ts";
import { AppSettings } from "#domain/connect/app-settings.ts";
import { forwardedHeaders, hopAfter, targetOf } from "#domain/proxy.ts";

const shop = (request: object) => appOf("shop", [], AppSettings.parse({ request }));
const NAMED = shop({ base_url: "https://{{domain}}/api", hosts: ["*.cdn.example", "a.example"] });

test.each([
  ["/me?x=1", "https://shop.example/api/me?x=1"],
  ["https://shop.example/other", "https://shop.example/other"],
  ["https://a.example/", "https://a.example/"],
  ["https://x.cdn.example/", "https://x.cdn.example/"],
  ["http://a.example/", "must begin with https://: credentials do not go over plain HTTP"],
  ["https://a.example:8443/", "credentials of shop may not be sent to a.example:8443"],
  [
    "https://a.example.evil.example/",
    "credentials of shop may not be sent to a.example.evil.example",
  ],
  ["https://shop.example@evil.example/", "may have no user and password"],
  [String.raw`https:\\evil.example`, "credentials of shop may not be sent to evil.example"],
  ["javascript:alert(1)", "must begin with https://"],
  ["https://", "must be a URL"],
])("resolves %s to %s", (text, expected) => {
  const target = targetOf(NAMED, { domain: "shop.example" }, { text, allowPlain: false });
  expect(target.ok ? target.url.href : target.problem).toBe(expected);
});

test("after a redirect to an untrusted host, no host is trusted again", () => {
  const mayTrust = ({ host: name }: URL) => name === "a.example";
  const first = { url: new URL("https://a.example/"), method: "GET", hasBody: false };
  const after = (location: string, isTrusted: boolean) =>
    hopAfter({ ...first, isTrusted }, { status: 302, location }, mayTrust);
  expect(after("/b", true)).toMatchObject({ isTrusted: true });
  expect(after("//b.example", true)).toMatchObject({ isTrusted: false });
  expect(after("/b", false)).toMatchObject({ isTrusted: false });
  expect(after("https://", true)).toBeUndefined();
});

test("does not forward a header that is only a prefix, or one of the connection", () => {
  const given = new Headers({ "x-pd-proxy-": "a", "x-pd-proxy-te": "b", "x-pd-proxy-b": "c" });
  expect([...forwardedHeaders(given)]).toEqual([["b", "c"]]);
});
