// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { forgetSessions } from "#services/sessions/sessions.ts";

import { operator, signUp } from "../support/client.ts";
import { browse, OWN_PAGE, signIn } from "../support/console.ts";
import { platformIn } from "../support/sweeping.ts";

const HOURS = 3600;
const UNAUTHORIZED = { status: 401, body: { code: "unauthorized" } };

const rowOf = (id: string) =>
  env.DB.prepare("SELECT * FROM sessions WHERE id = ?").bind(id).first();
const expire = (id: string) =>
  env.DB.prepare("UPDATE sessions SET expires_at = 1 WHERE id = ?").bind(id).run();

test("a key is exchanged for a session with the same rights", async () => {
  const { user } = await signUp();
  const ada = await signIn({ api_key: user.api_key }, { headers: { "user-agent": "Firefox" } });
  expect(ada.session).toEqual({
    id: expect.stringMatching(/^ses_/),
    user: { id: user.id, username: "ada", email: user.email },
    is_operator: false,
    csrf_token: expect.stringMatching(/^[0-9a-f]{64}$/),
    expires_at: expect.closeTo(Date.now() / 1000 + 12 * HOURS, -2),
    release: env.RELEASE,
  });
  expect(ada.answer.headers.get("cache-control")).toBe("no-store");
  const [cookie] = ada.answer.headers.getSetCookie();
  expect(cookie).toMatch(
    /^wellspring_session=[0-9A-Za-z]{44}; Max-Age=43[12]\d\d; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  expect(await ada.get("/console/session")).toMatchObject({
    status: 200,
    body: { data: ada.session },
  });
  expect(await ada.get("/v1/users/me")).toMatchObject({
    status: 200,
    body: { data: { id: user.id } },
  });
  const made = await ada.post("/v1/webhooks", { url: "http://127.0.0.1:9/hook" });
  expect(made).toMatchObject({ status: 200, body: { data: { user_id: user.id } } });
  expect(await ada.get("/v1/connect/projects")).toMatchObject({ status: 200 });
  expect(await ada.get("/admin/users")).toMatchObject(UNAUTHORIZED);
});

test("on https the cookie is for secure requests of this host alone, and no other cookie is accepted", async () => {
  const { user } = await signUp();
  const variables = { PUBLIC_URL: "https://wellspring.test" };
  const headers = { origin: "https://wellspring.test" };
  const ada = await signIn({ api_key: user.api_key }, { variables, headers });
  const [set] = ada.answer.headers.getSetCookie();
  expect(set).toMatch(
    /^__Host-wellspring_session=\w{44}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect(await browse("GET", "/v1/users/me", { cookie: ada.cookie, variables })).toMatchObject({
    status: 200,
  });
  const plain = ada.cookie?.replace("__Host-", "");
  expect(await browse("GET", "/v1/users/me", { cookie: plain, variables })).toMatchObject(
    UNAUTHORIZED,
  );
});

test.for([
  [{ api_key: "guess" }, 401, "api_key: is not a valid API key"],
  [{ api_key: "" }, 401, "api_key: is not a valid API key"],
  [{ admin_token: "guess" }, 401, "admin_token: is not the admin token"],
  [{ link: "guess" }, 401, "link: was used before, has expired, or was never valid"],
  [{}, 400, "must have api_key, admin_token or link"],
  [{ api_key: 7 }, 400, "must have api_key, admin_token or link"],
  [{ api_key: "guess", admin_token: "operator" }, 400, "must have api_key, admin_token or link"],
] as const)("%o signs nobody in", async ([body, status, error]) => {
  const answer = await browse("POST", "/console/session", { body, headers: OWN_PAGE });
  expect(answer).toMatchObject({ status, body: { error: expect.stringContaining(error) } });
  expect(answer.cookie).toBeUndefined();
});

test("a key in a URL signs nobody in, because URLs are logged", async () => {
  const { user } = await signUp();
  const path = `/console/session?api_key=${user.api_key}`;
  expect(await browse("POST", path, { body: {}, headers: OWN_PAGE })).toMatchObject({
    status: 400,
  });
});

test("a session with another secret opens nothing", async () => {
  for (const cookie of ["wellspring_session=guess", "wellspring_session=", "a=b"]) {
    expect(await browse("GET", "/v1/users/me", { cookie })).toMatchObject(UNAUTHORIZED);
    expect(await browse("GET", "/admin/users", { cookie })).toMatchObject(UNAUTHORIZED);
    expect(await browse("GET", "/console/session", { cookie })).toMatchObject(UNAUTHORIZED);
  }
  // Not even with the hash in the database as its secret.
  const { user } = await signUp();
  const { session } = await signIn({ api_key: user.api_key });
  const cookie = `wellspring_session=${String((await rowOf(session.id))?.["hash"])}`;
  expect(await browse("GET", "/v1/users/me", { cookie })).toMatchObject(UNAUTHORIZED);
});

test("a session that has ended or expired opens nothing", async () => {
  const { user } = await signUp();
  const [left, old] = [
    await signIn({ api_key: user.api_key }),
    await signIn({ api_key: user.api_key }),
  ];
  const out = await left.delete("/console/session");
  expect(out).toMatchObject({ status: 204, cookie: "wellspring_session=" });
  await expire(old.session.id);
  for (const ended of [left, old]) {
    expect(await ended.get("/v1/users/me")).toMatchObject(UNAUTHORIZED);
    expect(await ended.get("/console/session")).toMatchObject(UNAUTHORIZED);
    expect(await ended.delete("/console/session")).toMatchObject({ status: 204 });
  }
});

test("sessions end with the key that they were created with, and with their user", async () => {
  const { user } = await signUp();
  const { body } = await operator.post(`/users/${user.id}/api_keys`, { name: "Laptop" });
  const [first, second] = [
    await signIn({ api_key: user.api_key }),
    await signIn({ api_key: body.data.api_key }),
  ];
  await operator.delete(`/api_keys/${body.data.id}`);
  expect(await second.get("/v1/users/me")).toMatchObject(UNAUTHORIZED);
  expect(await rowOf(second.session.id)).toBeNull();
  expect(await first.get("/v1/users/me")).toMatchObject({ status: 200 });
  await operator.delete(`/users/${user.id}?force=true`);
  expect(await first.get("/v1/users/me")).toMatchObject(UNAUTHORIZED);
  await expect.poll(() => rowOf(first.session.id)).toBeNull();
});

test("a session sends no more queries to the database than a key", async () => {
  const { user, get } = await signUp();
  const session = await signIn({ api_key: user.api_key });
  for (const path of ["/users/me", "/users/me/webhooks", "/connect/projects"]) {
    const [byKey, bySession] = [await get(path), await session.get(`/v1${path}`)];
    expect(bySession.headers.get("server-timing")).toBe(byKey.headers.get("server-timing"));
  }
});

test("users see their own sessions, and end them one by one", async () => {
  const [{ user }, eve] = [await signUp(), await signUp()];
  const [one, two] = [
    await signIn({ api_key: user.api_key }, { headers: { "user-agent": "A".repeat(400) } }),
    await signIn({ api_key: user.api_key }),
  ];
  const { body } = await two.get("/v1/sessions");
  expect(body.page_info).toMatchObject({ total_count: 2, count: 2 });
  expect(body.data).toMatchObject([
    { id: two.session.id, is_current: true, user_agent: null, is_operator: false },
    { id: one.session.id, is_current: false, user_agent: "A".repeat(256) },
  ]);
  expect((await eve.get("/sessions")).body.data).toEqual([]);
  expect(await eve.delete(`/sessions/${one.session.id}`)).toMatchObject({ status: 404 });
  expect(await two.delete(`/v1/sessions/${one.session.id}`)).toMatchObject({ status: 204 });
  expect(await one.get("/v1/users/me")).toMatchObject(UNAUTHORIZED);
  expect(await two.get("/v1/users/me")).toMatchObject({ status: 200 });
});

test("the sweep deletes expired sessions only", async () => {
  const { user } = await signUp();
  const [old, fresh] = [
    await signIn({ api_key: user.api_key }),
    await signIn({ api_key: user.api_key }),
  ];
  await expire(old.session.id);
  await forgetSessions(platformIn(0));
  expect(await rowOf(old.session.id)).toBeNull();
  expect(await rowOf(fresh.session.id)).not.toBeNull();
});

test("the last use of a session is recorded at most every five minutes", async () => {
  const { user } = await signUp();
  const { session, get } = await signIn({ api_key: user.api_key });
  const seen = async () => (await rowOf(session.id))?.["last_seen_at"];
  const set = (at: number) =>
    env.DB.prepare("UPDATE sessions SET last_seen_at = ? WHERE id = ?").bind(at, session.id).run();
  const now = Math.floor(Date.now() / 1000);
  await set(now - 200);
  await get("/v1/users/me");
  expect(await seen()).toBe(now - 200);
  await set(now - 400);
  await get("/v1/users/me");
  // It is written in the background.
  await expect.poll(seen).toBeGreaterThanOrEqual(now);
});
