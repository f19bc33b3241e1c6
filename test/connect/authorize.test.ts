// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newBrowser, newCustomer } from "../support/connect.ts";
import { fillIn, visit } from "../support/pages.ts";
import { GRANTED, newProvider, providerUrlIn } from "../support/provider.ts";

type Customer = Awaited<ReturnType<typeof newCustomer>>;

/** A user whose browser the connect page sent to the provider. */
async function sentAway(customer: Customer, app: string, more: object = {}) {
  const { token } = await newBrowser(customer, "one", more);
  const left = await fillIn(`/connect/${token}/authorize?app=${app}`, {});
  const url = providerUrlIn(left.text);
  const [cookie = ""] = (left.headers.get("set-cookie") ?? "").split(";");
  const state = url.searchParams.get("state") ?? "";
  const callback = (query: Record<string, string>, headers: Record<string, string> = { cookie }) =>
    visit(`/connect/oauth/${app}/callback?${new URLSearchParams(query).toString()}`, { headers });
  return { token, url, state, cookie, callback };
}

const accountsOf = async ({ server }: Customer) => (await server.get("/accounts")).body.data;

test("a user who grants access gets an account", async () => {
  const customer = await newCustomer();
  const { app, server } = await newProvider(GRANTED);
  const { url, state, callback } = await sentAway(customer, app, {
    success_redirect_uri: "https://shop.example/done",
  });
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    prompt: "consent",
    response_type: "code",
    client_id: "client",
    scope: "read write",
    code_challenge_method: "S256",
    redirect_uri: expect.stringMatching(/\/connect\/oauth\/[^/]+\/callback$/),
  });
  const back = await callback({ state, code: "code-1" });
  expect(back.status).toBe(303);
  expect(back.headers.get("location")).toMatch(/^https:\/\/shop\.example\/done/);
  const [received] = await server.received();
  const sent = Object.fromEntries(new URLSearchParams(received?.body));
  expect(sent).toMatchObject({
    grant_type: "authorization_code",
    code: "code-1",
    client_secret: "secret",
    redirect_uri: url.searchParams.get("redirect_uri"),
  });
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(sent["code_verifier"]),
  );
  expect(url.searchParams.get("code_challenge")).toBe(
    new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true }),
  );
  expect(await accountsOf(customer)).toMatchObject([
    { name: "Shop", healthy: true, authorized_scopes: ["read"], app: { name_slug: app } },
  ]);
});

test("a user who denies access sees a message, or is redirected", async () => {
  const customer = await newCustomer();
  const { app } = await newProvider(GRANTED);
  const first = await sentAway(customer, app);
  const denied = await first.callback({ state: first.state, error: "access_denied" });
  expect(denied.text).toContain("was not given permission");
  const second = await sentAway(customer, app, { error_redirect_uri: "https://shop.example/no" });
  const led = await second.callback({ state: second.state, error: "access_denied" });
  expect(led.headers.get("location")).toMatch(/^https:\/\/shop\.example\/no/);
  expect(await accountsOf(customer)).toEqual([]);
});

test("a state is valid once, in its own browser, at its own provider, and before it expires", async () => {
  const customer = await newCustomer();
  const { app, server } = await newProvider(GRANTED);
  const other = await newProvider(GRANTED);
  const { state, cookie, callback } = await sentAway(customer, app);
  const code = { code: "code-1" };
  const wrong = await callback({ state: "wrong", ...code });
  expect(wrong.text).toContain("has expired, or was completed before");
  const elsewhere = await callback({ state, ...code }, { cookie: "wellspring-connect=another" });
  expect(elsewhere.text).toContain("another browser");
  const mixed = await visit(`/connect/oauth/${other.app}/callback?state=${state}&code=c`, {
    headers: { cookie },
  });
  expect(mixed.text).toContain("another browser");
  expect(await accountsOf(customer)).toEqual([]);
  expect(await server.received()).toEqual([]);
  expect((await callback({ state, ...code })).status).toBe(200);
  const replayed = await callback({ state, ...code });
  expect(replayed.text).toContain("has expired, or was completed before");
  expect(await accountsOf(customer)).toHaveLength(1);
  const late = await sentAway(customer, app);
  await env.DB.prepare("UPDATE authorizations SET expires_at = 1 WHERE app = ?").bind(app).run();
  expect((await late.callback({ state: late.state, ...code })).text).toContain("has expired");
});

test.for([
  ["is down", { status: 503 }, "has trouble of its own (503)"],
  ["rejects the code", { status: 400, body: '{"error":"invalid_grant"}' }, "invalid_grant"],
  ["responds without a token", { status: 200, body: "{}" }, "without an access token"],
] as const)(
  "a provider that %s connects nothing, and the link stays valid",
  async ([, step, words]) => {
    const customer = await newCustomer();
    const { app } = await newProvider(step);
    const { token, state, callback } = await sentAway(customer, app);
    const failed = await callback({ state, code: "code-1" });
    expect(failed.text).toContain(words);
    expect(failed.text).toContain("Try again");
    expect(await accountsOf(customer)).toEqual([]);
    expect((await visit(`/connect/${token}?app=${app}`)).status).toBe(200);
  },
);

test("a link of one project connects nothing in another, and an expired one nothing at all", async () => {
  const [customer, stranger] = [await newCustomer(), await newCustomer()];
  const { app } = await newProvider(GRANTED);
  const { token, state, callback } = await sentAway(customer, app);
  await callback({ state, code: "code-1" });
  expect(await accountsOf(customer)).toHaveLength(1);
  expect(await accountsOf(stranger)).toEqual([]);
  const expired = await newBrowser(stranger, "one");
  await env.DB.prepare(
    `UPDATE connect_tokens SET expires_at = 1 WHERE external_user_id IN (
      SELECT id FROM external_users WHERE project_id IN (?, ?))`,
  )
    .bind(customer.project, stranger.project)
    .run();
  for (const dead of [token, expired.token, "ctok_never"]) {
    const page = await visit(`/connect/${dead}?app=${app}`);
    expect(page.status).toBe(404);
    expect(page.text).toContain("has expired, or was never valid");
    expect((await fillIn(`/connect/${dead}/authorize?app=${app}`, {})).status).toBe(404);
  }
});

test("pages run only their own scripts, and only the token's origins may frame them", async () => {
  const customer = await newCustomer();
  const { app } = await newProvider(GRANTED);
  const { token } = await newBrowser(customer, "one", {
    allowed_origins: ["https://shop.example"],
  });
  const { headers } = await visit(`/_static/connect.html?token=${token}&app=${app}`);
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/frame-ancestors [^;]*https:\/\/shop\.example/);
  expect(policy).not.toContain("unsafe-inline");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(headers.get("cache-control")).toContain("no-store");
});

test("a page of another origin cannot start a sign-in", async () => {
  const customer = await newCustomer();
  const { app } = await newProvider(GRANTED);
  const { token } = await newBrowser(customer, "one");
  const crossing = await fillIn(
    `/connect/${token}/authorize?app=${app}`,
    {},
    {
      "sec-fetch-site": "cross-site",
    },
  );
  expect(crossing.status).toBe(303);
  expect(crossing.headers.get("location")).toMatch(/^\/connect\//);
});

test("the client library of the connect page is small", async () => {
  const { text, headers } = await visit("/connect.js");
  expect(headers.get("content-type")).toContain("text/javascript");
  expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(5 * 1024);
});
