import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { newAccount } from "../support/accounts.ts";
import { operator } from "../support/client.ts";
import { connected, HOUR, now, OLD, tokens } from "../support/oauth.ts";
import type { Step } from "../support/receiver-server.ts";
import { linesOf, withLogLevel } from "../support/telemetry.ts";
import { newReceiver } from "../support/webhook.ts";

/** Texts that no line of the log may have. */
const SECRETS = /refresh-\d|"old"|client\/secret|client%2Fsecret/;

/** Set the URL that revokes an app's grants. */
async function setRevokeUrl(app: string, revoke_url: string, more: object = {}): Promise<void> {
  const [authorize_url, token_url] = ["https://shop.example/a", "https://shop.example/t"];
  const oauth = { authorize_url, token_url, revoke_url, ...more };
  expect(await operator.put(`/apps/${app}`, { oauth })).toMatchObject({ status: 200 });
}

/** An account whose provider responds to revocations by a script. */
async function revocable(script: Step[], options: Parameters<typeof connected>[1] = {}) {
  const account = await connected([tokens({ access_token: "new", refresh_token: "refresh-2" })], {
    expiresAt: now() + HOUR,
    ...options,
  });
  const provider = await newReceiver(...script);
  await setRevokeUrl(account.app, provider.url);
  return { ...account, provider };
}

type Account = Awaited<ReturnType<typeof revocable>>;

const fieldsOf = async ({ provider }: Pick<Account, "provider">) =>
  (await provider.received()).map(({ body }) => Object.fromEntries(new URLSearchParams(body)));

/** Delete an account. Returns the lines about its grant. */
async function deletionOf({ ada, id }: Pick<Account, "ada" | "id">) {
  const lines = await linesOf("debug", async () => {
    expect(await ada.delete(`/accounts/${id}`)).toMatchObject({ status: 204 });
  });
  expect(await ada.get(`/accounts/${id}`)).toMatchObject({ status: 404 });
  expect(JSON.stringify(lines)).not.toMatch(SECRETS);
  return lines.filter(({ event }) => event.startsWith("grant_"));
}

test("a grant is revoked at its provider before its account is deleted", async () => {
  const account = await revocable([{ status: 200, isHeld: true }]);
  const deleted = account.ada.delete(`/accounts/${account.id}`);
  await vi.waitUntil(async () => (await account.provider.received()).length > 0);
  expect((await account.shown()).id).toBe(account.id);
  await account.provider.release();
  expect(await deleted).toMatchObject({ status: 204 });
  const [received] = await account.provider.received();
  expect(received?.headers).toMatchObject({ "content-type": "application/x-www-form-urlencoded" });
  expect(received?.headers).not.toHaveProperty("authorization");
  expect(await fieldsOf(account)).toEqual([
    {
      token: "refresh-1",
      token_type_hint: "refresh_token",
      client_id: "client id",
      client_secret: "client/secret",
    },
  ]);
});

test("a request to revoke a grant has the encoding of the app's token requests, not their parameters", async () => {
  const account = await revocable([{ status: 200 }], { authentication: "basic" });
  const style = { token_body: "json", token_parameters: { audience: "orders" } };
  await setRevokeUrl(account.app, account.provider.url, style);
  expect(await deletionOf(account)).toMatchObject([
    { event: "grant_revoked", subject_id: account.id, outcome: "revoked", status: 200 },
  ]);
  const [received] = await account.provider.received();
  expect(received?.headers).toMatchObject({
    "content-type": "application/json",
    authorization: `Basic ${btoa("client+id:client%2Fsecret")}`,
  });
  expect(JSON.parse(received?.body ?? "")).toEqual({
    token: "refresh-1",
    token_type_hint: "refresh_token",
  });
});

test("the access token of a grant without a refresh token is revoked", async () => {
  const account = await revocable([{ status: 200 }]);
  await operator.put(`/accounts/${account.id}`, { credentials: { oauth_access_token: "only" } });
  await deletionOf(account);
  expect(await fieldsOf(account)).toMatchObject([
    { token: "only", token_type_hint: "access_token" },
  ]);
});

test("the newest refresh token is revoked, and only for the account's owner", async () => {
  const account = await revocable([{ status: 200 }]);
  expect(await account.stub.tokenAfter(account.ada.user.id, "old")).toBe("new");
  await account.stub.revoke("u_other");
  expect(await account.provider.received()).toEqual([]);
  await deletionOf(account);
  expect(await fieldsOf(account)).toMatchObject([{ token: "refresh-2" }]);
});

test("an account without tokens is deleted without a request", async () => {
  const account = await revocable([{ status: 200 }]);
  await operator.put(`/accounts/${account.id}`, { credentials: { api_key: "key" } });
  expect(await deletionOf(account)).toEqual([]);
  expect(await account.provider.received()).toEqual([]);
});

test.for([
  ["is refused", [{ status: 400 }], 1, { outcome: "refused", status: 400 }],
  ["fails twice", [{ status: 500 }], 2, { outcome: "refused", status: 500 }],
] as const)("an account is deleted if the revocation %s", async ([, script, requests, outcome]) => {
  const account = await revocable([...script]);
  expect(await deletionOf(account)).toMatchObject([
    { event: "grant_revocation_failed", subject_id: account.id, ...outcome },
  ]);
  expect(await account.provider.received()).toHaveLength(requests);
});

test("a revocation is repeated after a fault of the provider", async () => {
  const account = await revocable([{ status: 503 }, { status: 200 }]);
  expect(await deletionOf(account)).toMatchObject([{ event: "grant_revoked" }]);
  expect(await account.provider.received()).toHaveLength(2);
});

test("no other server gets the token and the secret by a redirect", async () => {
  const elsewhere = await newReceiver();
  const account = await revocable([{ status: 307, headers: { location: elsewhere.url } }]);
  expect(await deletionOf(account)).toMatchObject([{ outcome: "refused", status: 307 }]);
  expect(await elsewhere.received()).toEqual([]);
});

test("an account is deleted if its provider is down", async () => {
  const account = await revocable([]);
  await setRevokeUrl(account.app, "http://127.0.0.1:9/revoke");
  expect(await deletionOf(account)).toMatchObject([
    { event: "grant_revocation_failed", outcome: "unreachable" },
  ]);
});

test("an account is deleted if its provider does not respond within seconds", async () => {
  const account = await revocable([{ status: 200, isHeld: true }]);
  expect(await deletionOf(account)).toMatchObject([
    { event: "grant_revocation_failed", outcome: "timed out" },
  ]);
  await account.provider.release();
});

test("an account is deleted if its client's secret cannot be opened", async () => {
  const account = await revocable([{ status: 200 }]);
  await env.DB.prepare("UPDATE oauth_apps SET client_secret = 'broken' WHERE app = ?")
    .bind(account.app)
    .run();
  expect(await deletionOf(account)).toMatchObject([
    { event: "grant_revocation_failed", outcome: "failed" },
  ]);
  expect(await account.provider.received()).toEqual([]);
});

test("the grant of a second account of one owner is revoked with the last of both", async () => {
  const account = await revocable([{ status: 200 }]);
  const { ada, app } = account;
  const credentials = { ...OLD, oauth_refresh_token: "refresh-3" };
  const second = await newAccount(ada.user.id, { app, credentials });
  expect(await deletionOf(account)).toEqual([]);
  await withLogLevel("silent", () => ada.delete(`/accounts/${second}`));
  expect(await fieldsOf(account)).toMatchObject([{ token: "refresh-3" }]);
});
