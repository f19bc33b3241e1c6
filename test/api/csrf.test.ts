// @suites loader

import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { app } from "#worker/http/app.ts";

import { ORIGIN, signUp } from "../support/client.ts";
import { browse, OWN_PAGE, signIn } from "../support/console.ts";

const HOOK = { url: "http://127.0.0.1:9/hook" };
const REFUSED = { status: 403, body: { code: "csrf" } };
const UNAUTHORIZED = { status: 401, body: { code: "unauthorized" } };

/** The headers of a browser's requests from pages of other origins. */
const ELSEWHERE: Record<string, string>[] = [
  { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
  { origin: "https://evil.example" },
  { origin: "null" },
  { origin: "null", "sec-fetch-site": "same-origin" },
  { origin: `${ORIGIN}.evil.example`, "sec-fetch-site": "same-origin" },
  { origin: `${ORIGIN}:8080`, "sec-fetch-site": "same-site" },
  { origin: ORIGIN, "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "none" },
];

async function ada() {
  const { user } = await signUp();
  return { user, ...(await signIn({ api_key: user.api_key })) };
}

test("a request that changes something needs the CSRF token of its own session", async () => {
  const [{ cookie, session }, other] = [await ada(), await ada()];
  const send = (headers: Record<string, string>, method = "POST", path = "/v1/webhooks") =>
    browse(method, path, { body: HOOK, cookie, headers: { ...OWN_PAGE, ...headers } });
  for (const token of ["", "guess", other.session.csrf_token, session.id])
    expect(await send({ "x-csrf-token": token })).toMatchObject(REFUSED);
  expect(await send({})).toMatchObject(REFUSED);
  for (const [method, path] of [
    ["PUT", "/v1/webhooks/wh_none"],
    ["DELETE", "/v1/sessions/ses_none"],
    ["POST", "/v1/connect/projects"],
    ["DELETE", "/console/session"],
  ] as const)
    expect(await send({}, method, path)).toMatchObject(REFUSED);
  expect(await send({ "x-csrf-token": session.csrf_token })).toMatchObject({ status: 200 });
  expect(await browse("GET", "/v1/users/me/webhooks", { cookie })).toMatchObject({
    body: { page_info: { total_count: 1 } },
  });
});

test("a client that is not a browser may use a session with its CSRF token", async () => {
  const { cookie, session } = await ada();
  const headers = { "x-csrf-token": session.csrf_token };
  expect(await browse("POST", "/v1/webhooks", { body: HOOK, cookie, headers })).toMatchObject({
    status: 200,
  });
});

test.for(ELSEWHERE)("ignores the cookie of a request with the headers %o", async (headers) => {
  const { cookie, session } = await ada();
  const root = await signIn({ admin_token: "operator" });
  const init = { cookie, headers: { ...headers, "x-csrf-token": session.csrf_token } };
  expect(await browse("GET", "/v1/users/me", init)).toMatchObject(UNAUTHORIZED);
  expect(await browse("GET", "/v1/connect/projects", init)).toMatchObject(UNAUTHORIZED);
  expect(await browse("GET", "/console/session", init)).toMatchObject(UNAUTHORIZED);
  expect(await browse("POST", "/v1/webhooks", { ...init, body: HOOK })).toMatchObject(UNAUTHORIZED);
  const operators = {
    cookie: root.cookie,
    headers: { ...headers, "x-csrf-token": root.session.csrf_token },
  };
  expect(await browse("GET", "/admin/users", operators)).toMatchObject(UNAUTHORIZED);
});

test.for(ELSEWHERE)("signs nobody in or out for a request with the headers %o", async (headers) => {
  const { user, cookie, get } = await ada();
  const body = { api_key: user.api_key };
  expect(await browse("POST", "/console/session", { body, headers })).toMatchObject(REFUSED);
  expect(await browse("DELETE", "/console/session", { cookie, headers })).toMatchObject(REFUSED);
  expect(await get("/v1/users/me")).toMatchObject({ status: 200 });
});

test("an Authorization header overrides the cookie, whatever its value", async () => {
  const [one, other] = [await ada(), await ada()];
  const { cookie } = one;
  const headers = { authorization: `Bearer ${other.user.api_key}` };
  expect(await browse("POST", "/v1/webhooks", { body: HOOK, cookie, headers })).toMatchObject({
    status: 200,
    body: { data: { user_id: other.user.id } },
  });
  const root = await signIn({ admin_token: "operator" });
  for (const authorization of ["Bearer guess", "Basic YTpi", ""]) {
    expect(
      await browse("GET", "/v1/users/me", { cookie, headers: { authorization } }),
    ).toMatchObject(UNAUTHORIZED);
    expect(
      await browse("GET", "/admin/users", { cookie: root.cookie, headers: { authorization } }),
    ).toMatchObject(UNAUTHORIZED);
  }
});

test("the proxy accepts no cookie, because its responses are not the platform's", async () => {
  const { get } = await ada();
  const target = btoa("https://example.com/");
  const path = `/v1/connect/proj_none/proxy/${target}?account_id=apn_none`;
  expect(await get(path)).toMatchObject(UNAUTHORIZED);
});

test("no page of another origin reads a response to the cookie", async () => {
  const { cookie } = await ada();
  const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  const { headers: got } = await browse("GET", "/v1/users/me", { cookie, headers });
  expect(got.get("access-control-allow-credentials")).toBeNull();
  const { headers: own } = await browse("GET", "/console/session", { cookie, headers });
  expect(own.get("access-control-allow-origin")).toBeNull();
});

test("the host of a request is no origin of the platform", async () => {
  const { cookie } = await ada();
  const headers = { cookie: cookie ?? "", origin: "http://evil.test" };
  const send = (path: string, init: RequestInit = {}) =>
    app.fetch(
      new Request(`http://evil.test${path}`, { ...init, headers }),
      env,
      createExecutionContext(),
    );
  expect((await send("/v1/users/me")).status).toBe(401);
  const entered = await send("/console/session", { method: "POST", body: "{}" });
  expect([entered.status, await entered.json()]).toEqual([
    403,
    {
      code: "csrf",
      error: "Only pages of http://wellspring.test can sign in or out: open the console there",
    },
  ]);
});

test("limits guesses by address, and does not limit other addresses", async () => {
  const { user } = await ada();
  const headers = { ...OWN_PAGE, "cf-connecting-ip": crypto.randomUUID() };
  const guess = () => browse("POST", "/console/session", { body: { api_key: "guess" }, headers });
  const answers = await Promise.all(Array.from({ length: 40 }, guess));
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(30);
  const body = { api_key: user.api_key };
  const late = await browse("POST", "/console/session", { body, headers });
  expect(late).toMatchObject({ status: 429, body: { code: "rate_limited" } });
  expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
  await signIn(body);
});
