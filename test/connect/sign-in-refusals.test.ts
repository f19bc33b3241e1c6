// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { sha256Hex } from "#domain/hash.ts";

import { newAccount } from "../support/accounts.ts";
import { operator, signUp, workspaceOf } from "../support/client.ts";
import { accountOf, newCustomer } from "../support/connect.ts";
import { now } from "../support/oauth.ts";
import { fillIn, visit } from "../support/pages.ts";
import { GRANTED, newProvider } from "../support/provider.ts";
import { accountsOf, linkOf, sentAway } from "../support/sign-in.ts";
import { linesOf } from "../support/telemetry.ts";

const authOf = async (id: string, ownerId: string) => {
  const granted = await env.ACCOUNTS.getByName(id).credentials(ownerId as never);
  return granted.ok ? JSON.parse(granted.auth) : granted.reason;
};

test("does not reconnect an account of another user, app or owner", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const { app } = await newProvider(GRANTED);
  const own = await newAccount(ada.user.id, { app });
  const customer = await newCustomer();
  const theirs = await accountOf(customer, "one", { app });
  const workspace = await workspaceOf(ada);
  const refused = async (client: Awaited<ReturnType<typeof signUp>>, more: object) => {
    const { status, body } = await client.post("/accounts/authorize", { app, ...more });
    return [status, body.details?.issues?.[0]?.path];
  };
  expect(await refused(eve, { account_id: own })).toEqual([404, undefined]);
  // An external user's account is not the customer's either.
  expect(await refused(customer.ada, { account_id: theirs })).toEqual([404, undefined]);
  expect(await refused(ada, { account_id: await newAccount(ada.user.id) })).toEqual([
    400,
    "account_id",
  ]);
  expect(await refused(ada, { account_id: own, org_id: workspace })).toEqual([400, "account_id"]);
  expect(await refused(eve, { org_id: workspace })).toEqual([404, undefined]);
});

test("an account that is deleted meanwhile is not reconnected, and no other is created", async () => {
  const ada = await signUp();
  const { app, server } = await newProvider(GRANTED);
  const account_id = await newAccount(ada.user.id, { app });
  const path = await linkOf(ada, app, { account_id });
  const { callback } = await sentAway(path, app);
  await ada.delete(`/accounts/${account_id}`);
  expect((await callback()).text).toContain("does not exist any more");
  expect((await visit(path)).status).toBe(404);
  expect(await server.received()).toEqual([]);
  expect(await accountsOf(ada)).toEqual([]);
});

test("a user who denies access sees a message, and can retry with the same link", async () => {
  const ada = await signUp();
  const { app } = await newProvider(GRANTED);
  const path = await linkOf(ada, app, { redirect_uri: "https://shop.example/done" });
  const denied = await (await sentAway(path, app)).callback({ error: "access_denied" });
  expect(denied.status).toBe(409);
  expect(denied.text).toContain("Shop was not given permission.");
  expect(denied.text).toContain(`href="${path}"`);
  expect(await accountsOf(ada)).toEqual([]);
  expect((await (await sentAway(path, app)).callback()).status).toBe(303);
  expect(await accountsOf(ada)).toHaveLength(1);
});

test.for([
  ["is down", { status: 503 }, "Shop has trouble of its own (503)."],
  ["rejects the code", { status: 400, body: '{"error":"invalid_grant"}' }, "invalid_grant"],
  ["responds without a token", { status: 200, body: "{}" }, "without an access token"],
] as const)("a provider that %s connects nothing", async ([, step, words]) => {
  const ada = await signUp();
  const { app } = await newProvider(step);
  const path = await linkOf(ada, app);
  const failed = await (await sentAway(path, app)).callback();
  expect(failed.text).toContain(words);
  expect(failed.text).toContain("Try again");
  expect(await accountsOf(ada)).toEqual([]);
});

test("a state is valid once, in its own browser, at its own provider", async () => {
  const ada = await signUp();
  const { app, server } = await newProvider(GRANTED);
  const other = await newProvider(GRANTED);
  const path = await linkOf(ada, app);
  const { state, cookie, callback } = await sentAway(path, app);
  const code = { code: "code-1" };
  for (const wrong of ["wrong", path.split("/").at(-1) ?? ""])
    expect((await callback({ ...code, state: wrong })).text).toContain("has expired");
  const elsewhere = await callback(code, { cookie: "wellspring-connect=another" });
  expect(elsewhere.text).toContain("another browser");
  const mixed = await visit(`/connect/oauth/${other.app}/callback?state=${state}&code=c`, {
    headers: { cookie },
  });
  expect(mixed.text).toContain("another browser");
  expect(await server.received()).toEqual([]);
  expect((await callback()).status).toBe(200);
  const replayed = await callback();
  expect(replayed.text).toContain("has expired, or was completed before");
  expect(await accountsOf(ada)).toHaveLength(1);
  expect(await server.received()).toHaveLength(1);
});

test("a link connects one account, even after several sign-ins", async () => {
  const ada = await signUp();
  const { app } = await newProvider(GRANTED);
  const path = await linkOf(ada, app);
  const begun = await Promise.all(Array.from({ length: 4 }, () => sentAway(path, app)));
  const pages = await Promise.all(begun.map(({ callback }) => callback()));
  expect(pages.filter(({ text }) => text.includes("Shop is connected"))).toHaveLength(1);
  expect(pages.filter(({ text }) => text.includes("Nothing was connected"))).toHaveLength(3);
  expect(await accountsOf(ada)).toHaveLength(1);
  expect((await visit(path)).status).toBe(404);
  expect((await fillIn(path, {})).status).toBe(404);
  const { results } = await env.DB.prepare("SELECT 1 FROM authorizations WHERE app = ?")
    .bind(app)
    .all();
  expect(results).toEqual([]);
});

test("a link and a sign-in expire", async () => {
  const ada = await signUp();
  const { app, server } = await newProvider(GRANTED);
  const path = await linkOf(ada, app);
  const hash = await sha256Hex(path.split("/").at(-1) ?? "");
  const { state, callback } = await sentAway(path, app);
  const endAt = (of: string, at: number) =>
    env.DB.prepare("UPDATE authorizations SET expires_at = ? WHERE state_hash = ?")
      .bind(at, of)
      .run();
  await endAt(hash, now() + 599);
  expect((await visit(path)).text).toContain("This link has expired");
  expect((await fillIn(path, {})).status).toBe(404);
  await endAt(await sha256Hex(state), 1);
  expect((await callback()).text).toContain("has expired");
  expect(await server.received()).toEqual([]);
  // A sign-in that started in time may be completed after its link has expired.
  await endAt(hash, now() + 1200);
  const late = await sentAway(path, app);
  await endAt(hash, now() + 300);
  expect((await late.callback()).text).toContain("Shop is connected");
  expect(await accountsOf(ada)).toHaveLength(1);
});

test("a member who is removed meanwhile connects nothing to the workspace", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, eve);
  const { app, server } = await newProvider({ ...GRANTED, isHeld: true });
  const paths = [await linkOf(eve, app, { org_id: workspace }), await linkOf(eve, app)];
  const [shared = "", own = ""] = paths;
  const first = await sentAway(shared, app);
  const second = await sentAway(shared, app);
  // One callback arrives while its user is removed, and one afterwards.
  const under = first.callback();
  await expect.poll(async () => (await server.received()).length).toBe(1);
  await operator.delete(`/workspaces/${workspace}/members/${eve.user.id}`);
  await server.release();
  expect((await under).text).toContain("no longer belongs to the workspace");
  expect((await second.callback()).text).toContain("no longer belongs to the workspace");
  expect((await visit(shared)).text).toContain("no longer belongs to the workspace");
  expect(await server.received()).toHaveLength(1);
  expect(await accountsOf(ada, workspace)).toEqual([]);
  expect((await (await sentAway(own, app)).callback()).status).toBe(200);
  expect(await accountsOf(eve)).toHaveLength(1);
});

test("a member who is removed meanwhile does not renew the workspace's account either", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, eve);
  const { app, server } = await newProvider({ ...GRANTED, isHeld: true });
  const account_id = await newAccount(workspace, { app, credentials: { api_key: "before" } });
  const { callback } = await sentAway(await linkOf(eve, app, { account_id }), app);
  const back = callback();
  await expect.poll(async () => (await server.received()).length).toBe(1);
  await operator.delete(`/workspaces/${workspace}/members/${eve.user.id}`);
  await server.release();
  expect((await back).text).toContain("no longer belongs to the workspace");
  expect(await authOf(account_id, workspace)).toEqual({ api_key: "before" });
});

test("an app without a sign-in is rejected by the name of its field", async () => {
  const ada = await signUp();
  const { app } = await newProvider(GRANTED);
  const keyed = `${app}_keys`;
  await operator.put(`/apps/${keyed}`, { auth_type: "keys", fields: [{ name: "api_key" }] });
  const unset = `${app}_unset`;
  await operator.put(`/apps/${unset}`, {
    oauth: {
      authorize_url: "https://shop.example.com/authorize",
      token_url: "https://shop.example.com/token",
    },
  });
  for (const [wanted, words] of [
    [keyed, "do not sign in"],
    [unset, "has not been set up here"],
    [`${app}_none`, "there is no app"],
    ["../x", "must be the slug"],
  ]) {
    const { status, body } = await ada.post("/accounts/authorize", { app: wanted });
    expect([wanted, status, body.details.issues[0].path]).toEqual([wanted, 400, "app"]);
    expect(body.error).toContain(words);
  }
  for (const redirect_uri of ["javascript:alert(1)", "/done", "data:text/html,x", 7]) {
    const { status, body } = await ada.post("/accounts/authorize", { app, redirect_uri });
    expect([status, body.details?.issues[0].path]).toEqual([400, "redirect_uri"]);
  }
  // An older link leads nowhere after the operator has removed the sign-in.
  const path = await linkOf(ada, app);
  const { callback } = await sentAway(path, app);
  await operator.delete(`/oauth_apps/${app}`);
  expect((await visit(path)).text).toContain("is not possible here now");
  expect((await callback()).text).toContain("is not possible here now");
  expect(await accountsOf(ada)).toEqual([]);
});

test("another origin's page starts no sign-in, and names in the page are escaped", async () => {
  const ada = await signUp();
  const workspace = await workspaceOf(ada);
  await env.DB.prepare("UPDATE workspaces SET name = ? WHERE id = ?")
    .bind(`<img src=x onerror=alert(1)>"`, workspace)
    .run();
  const { app } = await newProvider(GRANTED);
  const path = await linkOf(ada, app, { org_id: workspace });
  const page = await visit(path);
  expect(page.text).not.toContain("<img src=x");
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(page.headers.get("referrer-policy")).toBe("no-referrer");
  const crossing = await fillIn(path, {}, { "sec-fetch-site": "cross-site" });
  expect(crossing.status).toBe(303);
  expect(crossing.headers.get("location")).toBe(path);
  expect(crossing.headers.get("set-cookie")).toBeNull();
  expect((await visit("/connect/sign-in/never")).status).toBe(404);
});

test("the log contains no links, states or granted credentials", async () => {
  const ada = await signUp();
  const { app } = await newProvider(GRANTED);
  const secrets: string[] = ["token-1", "refresh-1", "code-1"];
  const lines = await linesOf("debug", async () => {
    const path = await linkOf(ada, app);
    await visit(path);
    const { state, cookie, callback } = await sentAway(path, app);
    await callback();
    secrets.push(path.split("/").at(-1) ?? "", state, cookie.split("=")[1] ?? "");
  });
  const routes = lines.filter(({ event }) => event === "request").map(({ route }) => route);
  expect(routes).toEqual([
    "/v1/accounts/authorize",
    "/connect/sign-in/:token",
    "/connect/sign-in/:token",
    "/connect/oauth/:client/callback",
  ]);
  expect(secrets.filter((secret) => secret.length < 6)).toEqual([]);
  const text = JSON.stringify(lines);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
});
