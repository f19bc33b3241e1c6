// @suites loader

import { expect, inject, test } from "vitest";

import { operator, signUp } from "../support/client.ts";
import { browse, OWN_PAGE, signIn } from "../support/console.ts";

const team = inject("accessServer");

const AUDIENCE = "9c8a7b";
const variables = { CF_ACCESS_TEAM_DOMAIN: team, CF_ACCESS_AUD: AUDIENCE };
const UNAUTHORIZED = { status: 401, body: { code: "unauthorized" } };
const now = () => Math.floor(Date.now() / 1000);

/** The assertion of Cloudflare Access about a person, signed by the team's key or a stranger's. */
async function assertionOf(claims: object, key = "team"): Promise<string> {
  const whole = { iss: team, aud: [AUDIENCE], exp: now() + 600, ...claims };
  const query = new URLSearchParams({ key, claims: JSON.stringify(whole) });
  return (await fetch(`${team}/sign?${query.toString()}`)).text();
}

const come = (assertion: string, more: { cookie?: string | undefined; headers?: object } = {}) =>
  browse("GET", "/console/session", {
    ...more,
    variables,
    headers: { ...OWN_PAGE, "cf-access-jwt-assertion": assertion, ...more.headers },
  });

test("signs in a user by the e-mail address that Cloudflare Access asserts", async () => {
  const { user } = await signUp();
  const exp = now() + 900;
  const answer = await come(await assertionOf({ email: user.email.toUpperCase(), exp }));
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { user: { id: user.id }, is_operator: false, expires_at: exp } },
  });
  const { cookie } = answer;
  const me = await browse("GET", "/v1/users/me", { cookie, variables });
  expect(me).toMatchObject({ status: 200, body: { data: { id: user.id } } });
  // The session exists already.
  const again = await come(await assertionOf({ email: user.email }), { cookie });
  expect(again).toMatchObject({ status: 200, body: answer.body, cookie: undefined });
});

test("an invalid assertion signs nobody in", async () => {
  const { user } = await signUp();
  const { email } = user;
  const valid = await assertionOf({ email });
  const [header = "", payload = "", signature = ""] = valid.split(".");
  const none = btoa(JSON.stringify({ alg: "none" })).replaceAll("=", "");
  const other = btoa(JSON.stringify({ email, iss: team, aud: AUDIENCE, exp: now() + 600 }));
  const invalid = [
    await assertionOf({ email, aud: ["another application"] }),
    await assertionOf({ email, iss: "https://evil.cloudflareaccess.com" }),
    await assertionOf({ email, exp: now() - 1 }),
    await assertionOf({ email, exp: undefined }),
    await assertionOf({ email, nbf: now() + 600 }),
    await assertionOf({ email: "nobody@example.com" }),
    await assertionOf({ email: [email] }),
    await assertionOf({ common_name: "a service token" }),
    await assertionOf({ email }, "stranger"),
    `${none}.${payload}.`,
    `${header}.${other.replaceAll("=", "")}.${signature}`,
    `${header}.${payload}.`,
    "guess",
    "",
  ];
  for (const assertion of invalid)
    expect(await come(assertion)).toMatchObject({ ...UNAUTHORIZED, cookie: undefined });
  expect(await come(valid)).toMatchObject({ status: 200 });
});

test("accepts an assertion only from the platform's own pages, and only where Access is configured", async () => {
  const { user } = await signUp();
  const assertion = await assertionOf({ email: user.email });
  const elsewhere = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect(await come(assertion, { headers: elsewhere })).toMatchObject(UNAUTHORIZED);
  const headers = { ...OWN_PAGE, "cf-access-jwt-assertion": assertion };
  for (const half of [
    {},
    { CF_ACCESS_TEAM_DOMAIN: team },
    { CF_ACCESS_AUD: AUDIENCE },
    { CF_ACCESS_TEAM_DOMAIN: "http://evil.example", CF_ACCESS_AUD: AUDIENCE },
  ])
    expect(await browse("GET", "/console/session", { headers, variables: half })).toMatchObject(
      UNAUTHORIZED,
    );
  // It opens a session, and authorizes nothing else.
  expect(await browse("GET", "/v1/users/me", { headers, variables })).toMatchObject(UNAUTHORIZED);
});

test("does not sign in a deleted user", async () => {
  const { user } = await signUp();
  const assertion = await assertionOf({ email: user.email });
  await operator.delete(`/users/${user.id}?force=true`);
  expect(await come(assertion)).toMatchObject(UNAUTHORIZED);
});

test("another person in the same browser gets a new session without the rights of the first", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const first = await come(await assertionOf({ email: ada.user.email }));
  const root = await signIn({ admin_token: "operator" }, { cookie: first.cookie, variables });
  expect(root.session).toMatchObject({ user: { id: ada.user.id }, is_operator: true });
  const second = await come(await assertionOf({ email: eve.user.email }), { cookie: root.cookie });
  expect(second.body.data).toMatchObject({ user: { id: eve.user.id }, is_operator: false });
  expect(await root.get("/v1/users/me")).toMatchObject(UNAUTHORIZED);
});

test("Access does not replace a session from a key, and adds its user to an operator's session", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const byKey = await signIn({ api_key: ada.user.api_key });
  const assertion = await assertionOf({ email: eve.user.email });
  const stays = await come(assertion, { cookie: byKey.cookie });
  expect(stays).toMatchObject({ body: { data: byKey.session }, cookie: undefined });
  const root = await signIn({ admin_token: "operator" });
  const joined = await come(assertion, { cookie: root.cookie });
  expect(joined.body.data).toMatchObject({ user: { id: eve.user.id }, is_operator: true });
});

test("a failure to fetch keys is an outage, not an invalid assertion", async () => {
  const headers = { ...OWN_PAGE, "cf-access-jwt-assertion": await assertionOf({ email: "a@b.c" }) };
  const down = { ...variables, CF_ACCESS_TEAM_DOMAIN: "http://127.0.0.1:9" };
  expect(await browse("GET", "/console/session", { headers, variables: down })).toMatchObject({
    status: 502,
    body: { code: "upstream_failed" },
  });
});
