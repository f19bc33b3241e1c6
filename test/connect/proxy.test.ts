// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { targetIn } from "#domain/proxy.ts";

import { operator } from "../support/client.ts";
import { accountOf, newBrowser, newCustomer } from "../support/connect.ts";
import { HOUR, now, OLD, tokens } from "../support/oauth.ts";
import {
  base64,
  connected,
  type Customer,
  host,
  KEYED,
  newApp,
  proxied,
  type Sent,
  upstream,
} from "../support/proxy.ts";
import { newReceiver } from "../support/webhook.ts";

test("adds credentials, and forwards only the caller's headers for the target", async () => {
  const { customer, account } = await connected({
    ...KEYED,
    query: { key: "{{api_key}}", region: "{{region}}" },
  });
  const { status, text, headers } = await proxied(customer, account, `${upstream}/echo?a=1`, {
    headers: {
      "x-pd-proxy-x-custom": "yes",
      "x-pd-proxy-x-api-key": "mine",
      "x-pd-proxy-host": "other.example",
      "x-pd-proxy-x-forwarded-for": "1.2.3.4",
      "x-pd-proxy-x-wellspring-hops": "0",
      "x-other": "no",
      cookie: "session=1",
    },
  });
  expect(status).toBe(200);
  const arrived = JSON.parse(text);
  expect(arrived).toMatchObject({
    method: "GET",
    url: "/echo?a=1&key=k-1",
    headers: { "x-custom": "yes", "x-api-key": "k-1", "x-wellspring-hops": "1" },
  });
  for (const name of ["authorization", "cookie", "x-other", "x-forwarded-for"])
    expect(arrived.headers[name]).toBeUndefined();
  expect(Object.keys(arrived.headers).filter((name) => name.startsWith("x-pd-"))).toEqual([]);
  expect(headers.get("x-reply")).toBe("Yes");
  expect(headers.get("cache-control")).toBe("no-store");
});

test.each(["POST", "PUT", "PATCH", "DELETE"])("forwards %s with its body", async (method) => {
  const { customer, account } = await connected();
  const { text } = await proxied(customer, account, `${upstream}/echo`, {
    method,
    headers: { "content-type": "text/plain" },
    body: "any text",
  });
  expect(JSON.parse(text)).toMatchObject({
    method,
    text: "any text",
    headers: { "content-type": "text/plain", "x-api-key": "k-1" },
  });
});

test("a path is relative to the app's base URL, and may be base64url", async () => {
  const { customer, account } = await connected({ ...KEYED, base_url: `${upstream}/echo/` });
  const { text } = await proxied(customer, account, "//evil.example/a?b=1");
  expect(JSON.parse(text)).toMatchObject({ url: "/echo/evil.example/a?b=1" });
  const url = "https://a.example/?>>>???é";
  const standard = new TextEncoder().encode(url).toBase64();
  expect(standard).toContain("/");
  expect(targetIn(standard)).toBe(url);
  expect(targetIn(standard.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""))).toBe(
    url,
  );
  expect(targetIn("%%%")).toBeUndefined();
});

test("a large body streams through in both directions", async () => {
  const { customer, account } = await connected();
  const { text } = await proxied(customer, account, `${upstream}/echo`, {
    method: "POST",
    body: new Uint8Array(6 * 1024 * 1024),
  });
  expect(JSON.parse(text).text).toBe(`${6 * 1024 * 1024} bytes`);
  const large = await proxied(customer, account, `${upstream}/large`);
  expect(large.text.length).toBe(2 ** 21);
  for (const encoding of ["gzip", "br"])
    expect((await proxied(customer, account, `${upstream}/${encoding}`)).text).toBe(
      "text ".repeat(50),
    );
});

test("returns the target's status, but no header that affects the API's origin", async () => {
  const { customer, account } = await connected();
  for (const status of [204, 404, 500])
    expect((await proxied(customer, account, `${upstream}/status/${status}`)).status).toBe(status);
  const { headers } = await proxied(customer, account, `${upstream}/cookies`);
  expect(headers.get("set-cookie")).toBeNull();
  expect(headers.get("content-security-policy")).toContain("sandbox");
});

test("follows redirects, and sends nothing of the account to another host", async () => {
  const { customer, account } = await connected();
  const headers = { "x-pd-proxy-x-custom": "yes", "x-pd-proxy-accept": "text/plain" };
  const go = async (path: string, sent: Sent = {}) =>
    proxied(customer, account, `${upstream}${path}`, { headers, ...sent });
  const post = { method: "POST", body: "text" };
  expect(JSON.parse((await go("/redirect/302")).text).headers).toMatchObject({
    "x-api-key": "k-1",
    "x-custom": "yes",
  });
  expect(JSON.parse((await go("/redirect/302", post)).text)).toMatchObject({
    method: "GET",
    text: "",
    url: "/echo?from=302",
  });
  expect(JSON.parse((await go("/redirect/307", post)).text)).toMatchObject({
    method: "POST",
    text: "text",
  });
  const elsewhere = JSON.parse((await go("/elsewhere")).text).headers;
  expect(elsewhere).toMatchObject({ accept: "text/plain" });
  expect(elsewhere["x-api-key"]).toBeUndefined();
  expect(elsewhere["x-custom"]).toBeUndefined();
  expect(await go("/elsewhere", { method: "PUT", body: "text" })).toMatchObject({ status: 502 });
  expect(await go("/loop")).toMatchObject({ status: 502 });
});

test("refreshes a token that the target rejects once, and repeats the request", async () => {
  const customer = await newCustomer();
  const api = await newReceiver({ status: 401 }, { status: 200, body: "in" }, { status: 401 });
  const server = await newReceiver(tokens({ access_token: "new", expires_in: HOUR }));
  const { host: apiHost } = new URL(api.url);
  const app = await newApp({ hosts: [apiHost] }, { auth_type: "oauth" });
  await operator.post("/oauth_apps", {
    app,
    token_url: server.url,
    client_id: "id",
    client_secret: "secret",
  });
  const given = { app, credentials: OLD, expiresAt: now() + HOUR };
  const account = await accountOf(customer, "one", given);
  const send = () => proxied(customer, account, api.url, { method: "POST", body: "text" });
  expect(await send()).toMatchObject({ status: 200, text: "in" });
  await env.DB.prepare("UPDATE accounts SET refreshed_at = ? WHERE id = ?")
    .bind(now(), account)
    .run();
  expect(await send()).toMatchObject({ status: 401 });
  const received = await api.received();
  expect(received.map(({ headers, body }) => [headers["authorization"], body])).toEqual([
    ["Bearer old", "text"],
    ["Bearer new", "text"],
    ["Bearer new", "text"],
  ]);
  expect(await server.received()).toHaveLength(1);
});

test("sends credentials to the hosts of the app alone", async () => {
  const { customer, account } = await connected();
  for (const url of [
    "https://example.com/",
    `http://user:pass@${host}/echo`,
    `http://${host.replace("127.0.0.1", "localhost")}/echo`,
    "ftp://example.com",
    "file:///etc/passwd",
  ])
    expect([url, (await proxied(customer, account, url)).status]).toEqual([url, 400]);
  const unset = await newApp({});
  const other = await accountOf(customer, "one", { app: unset });
  const refused = await proxied(customer, other, `${upstream}/echo`);
  expect(JSON.parse(refused.text)).toMatchObject({
    code: "invalid_input",
    error: `url: credentials of ${unset} may not be sent to ${host}`,
  });
  expect(await proxied(customer, account, `${upstream}/hangup`)).toMatchObject({ status: 502 });
});

test.for(["https://127.0.0.1", "https://10.0.0.1", "https://[::1]", "https://169.254.169.254"])(
  "without access to private networks, sends nothing to %s",
  async (base_url) => {
    const { customer, account } = await connected({ ...KEYED, base_url });
    env.ALLOW_PRIVATE_TARGETS = "false";
    try {
      const answer = await proxied(customer, account, `${base_url}/echo`);
      expect(answer).toMatchObject({ status: 502, text: expect.stringContaining("private") });
    } finally {
      env.ALLOW_PRIVATE_TARGETS = "true";
    }
  },
);

test("an account is its external user's alone, in one environment of one project", async () => {
  const { customer, account } = await connected();
  const url = `${upstream}/echo`;
  const go = async (who: Customer, sent: Sent = {}) =>
    (await proxied(who, account, url, sent)).status;
  await customer.server.post("/tokens", { external_user_id: "two" });
  expect(await go(customer)).toBe(200);
  expect(await go(customer, { user: "two" })).toBe(404);
  expect(await go(customer, { user: "nobody" })).toBe(404);
  expect(await go(customer, { headers: { "x-pd-environment": "development" } })).toBe(404);
  const stranger = await newCustomer();
  await stranger.server.post("/tokens", { external_user_id: "one" });
  expect(await go(stranger)).toBe(404);
  expect(await go({ ...stranger, project: customer.project })).toBe(404);
  const path = `/proxy/${base64(url)}?account_id=${account}`;
  const [one, two] = [await newBrowser(customer, "one"), await newBrowser(customer, "two")];
  expect(await one.get(path)).toMatchObject({ status: 200 });
  expect(await two.get(path)).toMatchObject({ status: 404 });
  expect(await two.get(`${path}&external_user_id=one`)).toMatchObject({ status: 403 });
  expect(await customer.server.get("/proxy/%25?account_id=a")).toMatchObject({ status: 400 });
  const late = { "x-wellspring-hops": "16" };
  expect(await one.get(path, undefined, late)).toMatchObject({ status: 508 });
});
