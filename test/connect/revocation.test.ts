import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { withoutSharedGrants } from "#db/grants.ts";
import { type Id, newToken } from "#domain/ids.ts";
import { endDepartures } from "#services/connect/departures.ts";

import { newAccount } from "../support/accounts.ts";
import { useCatalogue } from "../support/catalogue.ts";
import { operator, signUp, workspaceOf } from "../support/client.ts";
import { accountOf, newBrowser, newCustomer } from "../support/connect.ts";
import { sweepAway } from "../support/departures.ts";
import { platformIn } from "../support/sweeping.ts";
import { newReceiver } from "../support/webhook.ts";

const CLIENT = { client_id: "operators", client_secret: "s" };

/** An app of the operator's, with a client, whose provider records the tokens to revoke. */
async function newApp() {
  const app = `shop_${newToken().toLowerCase()}`;
  const provider = await newReceiver({ status: 200 });
  const oauth = {
    authorize_url: "https://shop.example/authorize",
    token_url: "https://shop.example/token",
    revoke_url: provider.url,
  };
  await operator.put(`/apps/${app}`, { oauth });
  await operator.post("/oauth_apps", { app, ...CLIENT });
  const sent = async () =>
    (await provider.received()).map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
  const revoked = async () => (await sent()).map(({ token }) => String(token)).toSorted();
  return { app, oauth, sent, revoked };
}

const credentialsOf = (token: string) => ({ oauth_access_token: "a", oauth_refresh_token: token });

const isThere = async (id: string) =>
  (await env.DB.prepare("SELECT 1 FROM accounts WHERE id = ?").bind(id).first()) !== null;

test("a browser, a server and the operator revoke the grants of the accounts that they delete", async () => {
  const [customer, { app, revoked }] = [await newCustomer(), await newApp()];
  const [one, two, three] = await Promise.all(
    ["one", "two", "three"].map((user) =>
      accountOf(customer, user, { app, credentials: credentialsOf(user) }),
    ),
  );
  const browser = await newBrowser(customer, "one");
  expect(await browser.delete(`/${customer.project}/accounts/${two}`)).toMatchObject({
    status: 404,
  });
  expect(await revoked()).toEqual([]);
  expect(await browser.delete(`/${customer.project}/accounts/${one}`)).toMatchObject({
    status: 204,
  });
  expect(await customer.server.delete(`/accounts/${two}`)).toMatchObject({ status: 204 });
  expect(await operator.delete(`/accounts/${three}`)).toMatchObject({ status: 204 });
  expect(await revoked()).toEqual(["one", "three", "two"]);
  expect(await Promise.all([one, two, three].map((id) => isThere(id ?? "")))).not.toContain(true);
});

test("the grants of all accounts of an app are revoked with them, however many there are", async () => {
  const [customer, { app, revoked }] = [await newCustomer(), await newApp()];
  const other = await accountOf(customer, "other", { app: "github" });
  const users = Array.from({ length: 52 }, (_, at) => `user-${at}`);
  for (const user of users)
    await accountOf(customer, user, { app, credentials: credentialsOf(user) });
  expect(await customer.server.delete(`/apps/${app}/accounts`)).toMatchObject({ status: 204 });
  expect(await revoked()).toEqual(users.toSorted());
  expect(await isThere(other)).toBe(true);
});

test("the grants of a deleted external user are revoked", async () => {
  const [customer, { app, revoked }] = [await newCustomer(), await newApp()];
  const id = await accountOf(customer, "one", { app, credentials: credentialsOf("one") });
  await accountOf(customer, "two", { app, credentials: credentialsOf("two") });
  expect(await customer.server.delete("/users/one")).toMatchObject({ status: 204 });
  expect(await isThere(id)).toBe(false);
  expect(await revoked()).toEqual(["one"]);
});

test("the grants of a deleted project are revoked by the project's own client", async () => {
  const [customer, { app, sent }] = [await newCustomer(), await newApp()];
  const { body: own } = await customer.server.post("/oauth_apps", {
    app,
    client_id: "ours",
    client_secret: "secret",
  });
  const given = { app, credentials: credentialsOf("one"), oauthAppId: own.id };
  const id = await accountOf(customer, "one", given);
  expect(await customer.ada.delete(`/connect/projects/${customer.project}`)).toMatchObject({
    status: 204,
  });
  for (let swept = 0; swept < 6 && (await isThere(id)); swept += 1)
    await endDepartures(platformIn(0));
  expect(await sent()).toMatchObject([{ token: "one", client_id: "ours" }]);
  await endDepartures(platformIn(0));
  const left = await env.DB.prepare("SELECT 1 FROM project_oauth_apps WHERE id = ?")
    .bind(own.id)
    .first();
  expect(left).toBeNull();
});

test("the grants of a deleted user and of the user's workspaces are revoked", async () => {
  const [ada, { app, revoked }] = [await signUp(), await newApp()];
  const workspace = await workspaceOf(ada);
  await newAccount(ada.user.id, { app, credentials: credentialsOf("ada") });
  await newAccount(ada.user.id, { app, credentials: credentialsOf("ada") });
  await newAccount(workspace, { app, credentials: credentialsOf("workspace") });
  expect(await operator.delete(`/users/${ada.user.id}?force=true`)).toMatchObject({ status: 202 });
  await sweepAway(ada.user.id);
  expect([...new Set(await revoked())]).toEqual(["ada", "workspace"]);
  const { results } = await env.DB.prepare("SELECT id FROM accounts WHERE app = ?").bind(app).run();
  expect(results).toEqual([]);
});

test("a client with a token URL of its own does not use the revocation URL of the catalogue", async () => {
  const { app, oauth, sent } = await newApp();
  await operator.delete(`/apps/${app}`);
  const settings = { name: "Shop", auth_type: "oauth" as const, oauth };
  useCatalogue([{ slug: app, aliases: [], settings }]);
  const { user } = await signUp();
  const connected = (token: string) =>
    newAccount(user.id, { app, external_id: token, credentials: credentialsOf(token) });
  const [first, second, third] = [
    await connected("one"),
    await connected("two"),
    await connected("three"),
  ];
  const token_url = "https://other.example/token";
  await operator.post("/oauth_apps", { app, ...CLIENT, token_url });
  await operator.delete(`/accounts/${first}`);
  expect(await sent()).toEqual([]);
  await operator.put(`/apps/${app}`, { oauth: { revoke_url: oauth.revoke_url } });
  await operator.delete(`/accounts/${second}`);
  expect(await sent()).toMatchObject([{ token: "two" }]);
  await operator.delete(`/apps/${app}`);
  await operator.post("/oauth_apps", { app, ...CLIENT });
  await operator.delete(`/accounts/${third}`);
  expect(await sent()).toMatchObject([{ token: "two" }, { token: "three" }]);
});

const SIBLINGS = new Map([["mail", ["mail", "sheets"]]]);

/** Whether the grant of an account may be revoked while another one remains. */
async function isRevocable(
  account: { id: string },
  leaving: { id: string }[] = [account],
): Promise<boolean> {
  const ids = leaving.map(({ id }) => id as Id<"account">);
  const found = await withoutSharedGrants(connect(env.DB), ids, SIBLINGS);
  return found.includes(account.id as Id<"account">);
}

const sharedWith = [
  ["the same user at the provider", { external_id: "T1" }, { external_id: "T1" }, false],
  ["another user at the provider", { external_id: "T1" }, { external_id: "T2" }, true],
  ["an unknown user of the same owner", { external_id: "T1" }, {}, false],
  ["an account for another app of the family", {}, { app: "sheets" }, false],
  ["an account for another app", {}, { app: "calendar" }, true],
] as const;

test.for(sharedWith)(
  "a grant may be shared with %s: may be revoked: %s",
  async ([, own, other, expected]) => {
    const { user } = await signUp();
    const account = { id: await newAccount(user.id, { app: "mail", ...own }) };
    const second = { id: await newAccount(user.id, { app: "mail", ...other }) };
    expect(await isRevocable(account)).toBe(expected);
    expect(await isRevocable(account, [account, second])).toBe(true);
    await env.DB.prepare("UPDATE accounts SET dead = 1 WHERE id = ?").bind(second.id).run();
    expect(await isRevocable(account)).toBe(true);
  },
);

test("a grant is shared within a payer, by the user at the provider and the client", async () => {
  const [customer, { app }] = [await newCustomer(), await newApp()];
  const given = { app: "mail", externalId: "T1" };
  const account = { id: await accountOf(customer, "one", given) };
  const stranger = await signUp();
  await newAccount(stranger.user.id, { app: "mail", external_id: "T1" });
  await accountOf(customer, "unknown", { app: "mail" });
  const { body: own } = await customer.server.post("/oauth_apps", { app, ...CLIENT });
  const { body: same } = await customer.server.post("/oauth_apps", { app, ...CLIENT });
  await accountOf(customer, "two", { ...given, oauthAppId: own.id });
  expect(await isRevocable(account)).toBe(true);
  const ofClient = { id: await accountOf(customer, "three", { ...given, oauthAppId: same.id }) };
  expect(await isRevocable(ofClient)).toBe(false);
  await newAccount(customer.ada.user.id, { app: "mail", external_id: "T1" });
  expect(await isRevocable(account)).toBe(false);
});
