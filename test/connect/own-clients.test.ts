// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { Id } from "#domain/ids.ts";

import { operator } from "../support/client.ts";
import { newBrowser, newCustomer } from "../support/connect.ts";
import { HOUR, now, tokens } from "../support/oauth.ts";
import { fillIn, visit } from "../support/pages.ts";
import { GRANTED, newProvider } from "../support/provider.ts";
import { sentAway } from "../support/sign-in.ts";

const MINE = { $client_id: "mine", $client_secret: "my secret" };

type Customer = Awaited<ReturnType<typeof newCustomer>>;

/** Paths of a user's link: to its page, and to the provider. */
async function linkOf(customer: Customer, query: Record<string, string>, more: object = {}) {
  const { token } = await newBrowser(customer, "one", more);
  const search = new URLSearchParams(query).toString();
  return { page: `/connect/${token}?${search}`, away: `/connect/${token}/authorize?${search}` };
}

const sentOf = async ({ received }: Awaited<ReturnType<typeof newProvider>>["server"]) =>
  (await received()).map(({ body }) => Object.fromEntries(new URLSearchParams(body)));

test("a user signs in by an own client, which refreshes the account and is never shown", async () => {
  const customer = await newCustomer();
  const renewed = tokens({ access_token: "token-2", expires_in: HOUR });
  const { app, server } = await newProvider(GRANTED, renewed);
  const { page, away } = await linkOf(customer, { app, customOauthClient: "true" });
  const { text } = await visit(page);
  expect(text).toContain("Client secret");
  expect(text).toMatch(new RegExp(`needs this redirect URI: [^ ]+/connect/oauth/${app}/callback`));
  const { url, callback } = await sentAway(away, app, MINE);
  expect(url.searchParams.get("client_id")).toBe("mine");
  expect((await callback()).text).toContain("is connected");
  const own = { client_id: "mine", client_secret: "my secret" };
  expect(await sentOf(server)).toMatchObject([{ grant_type: "authorization_code", ...own }]);

  const [account] = (await customer.server.get("/accounts")).body.data;
  const owner = await env.DB.prepare("SELECT owner_id FROM accounts WHERE id = ?")
    .bind(account.id)
    .first<Id<"external_user">>("owner_id");
  if (!owner) throw new Error("The account is nobody's");
  const stub = env.ACCOUNTS.getByName(account.id);
  const auth = async () => {
    const granted = await stub.credentials(owner);
    return granted.ok ? JSON.parse(granted.auth) : granted.reason;
  };
  const known = { oauth_refresh_token: "refresh-1", oauth_client_id: "mine" };
  expect(await auth()).toEqual({ oauth_access_token: "token-1", ...known });
  await env.DB.prepare("UPDATE accounts SET refresh_at = 1, expires_at = ? WHERE id = ?")
    .bind(now() - 1, account.id)
    .run();
  expect(await auth()).toEqual({ oauth_access_token: "token-2", ...known });
  const [, refresh] = await sentOf(server);
  expect(refresh).toMatchObject({ grant_type: "refresh_token", ...own });
});

test("redirects nobody without a client id and secret", async () => {
  const customer = await newCustomer();
  const { app, server } = await newProvider(GRANTED);
  const { away } = await linkOf(customer, { app, customOauthClient: "true" });
  const refused = await fillIn(away, { $client_id: "mine" });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain("Client secret is required.");
  expect(await server.received()).toEqual([]);
});

test("without a configured client, users enter theirs, and an operator's replaces it later", async () => {
  const customer = await newCustomer();
  const { app } = await newProvider(GRANTED);
  await operator.delete(`/oauth_apps/${app}`);
  const { away } = await linkOf(customer, { app });
  const { callback } = await sentAway(away, app, MINE);
  expect((await callback()).text).toContain("is connected");
  const [{ id: accountId }] = (await customer.server.get("/accounts")).body.data;
  const token_url = "https://shop.example.com/token";
  await operator.post("/oauth_apps", { app, token_url, client_id: "client", client_secret: "s" });
  const again = await linkOf(customer, { app, accountId });
  const { url } = await sentAway(again.away, app);
  expect(url.searchParams.get("client_id")).toBe("client");
});

test("a link for one client accepts no other", async () => {
  const customer = await newCustomer();
  const { app } = await newProvider(GRANTED);
  const client = { app, client_id: "ours", client_secret: "s" };
  const { body } = await customer.server.post("/oauth_apps", client);
  const more = { oauth_app_id: body.id };
  const { page } = await linkOf(customer, { app, customOauthClient: "true" }, more);
  const refused = await visit(page);
  expect(refused.status).toBe(409);
  expect(refused.text).toContain("for another OAuth app");
});
