// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { now, tokens } from "../support/oauth.ts";
import { fillIn, visit } from "../support/pages.ts";
import { GRANTED, newProvider } from "../support/provider.ts";
import { accountsOf, linkOf, sentAway } from "../support/sign-in.ts";

const authOf = async (id: string, ownerId: string) => {
  const granted = await env.ACCOUNTS.getByName(id).credentials(ownerId as never);
  return granted.ok ? JSON.parse(granted.auth) : granted.reason;
};

test("a user who signs in by a link gets an account with the granted credentials", async () => {
  const ada = await signUp();
  const { app, server } = await newProvider(GRANTED);
  const { body } = await ada.post("/accounts/authorize", { app, name: "Mine" });
  expect(body.data.expires_at).toBeCloseTo(now() + 600, -1);
  const path = new URL(body.data.url).pathname;
  // A preview of the link, and opening it again, change nothing.
  for (let n = 0; n < 2; n += 1) {
    const page = await visit(path);
    expect(page.status).toBe(200);
    expect(page.text).toContain("Connect Shop to ada");
    expect(page.headers.get("set-cookie")).toBeNull();
  }
  const { url, callback } = await sentAway(path, app);
  expect(url.origin + url.pathname).toBe("https://shop.example.com/authorize");
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: "code",
    client_id: "client",
    scope: "read write",
    code_challenge_method: "S256",
    redirect_uri: expect.stringMatching(new RegExp(`/connect/oauth/${app}/callback$`)),
  });
  const back = await callback();
  expect(back.status).toBe(200);
  expect(back.text).toContain("Shop is connected");
  const [received] = await server.received();
  const sent = Object.fromEntries(new URLSearchParams(received?.body));
  expect(sent).toMatchObject({ grant_type: "authorization_code", code: "code-1" });
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(sent["code_verifier"]),
  );
  expect(url.searchParams.get("code_challenge")).toBe(
    new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true }),
  );
  const [account, ...others] = await accountsOf(ada);
  expect(others).toEqual([]);
  expect(account).toMatchObject({ app, name: "Mine", owner_id: ada.user.id, healthy: true });
  expect(account.expires_at).toBeGreaterThan(now());
  expect(await authOf(account.id, ada.user.id)).toMatchObject({
    oauth_access_token: "token-1",
    oauth_client_id: "client",
  });
});

test("a link for a workspace creates its account, and redirects the browser with the id", async () => {
  const [ada, bob] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, bob);
  const { app } = await newProvider(GRANTED);
  const path = await linkOf(ada, app, {
    org_id: workspace,
    redirect_uri: "https://shop.example/done?step=2",
  });
  expect((await visit(path)).text).toContain("Connect Shop to Engines");
  const back = await (await sentAway(path, app)).callback();
  const [account] = await accountsOf(bob, workspace);
  expect(account).toMatchObject({ app, name: "Shop", owner_id: workspace });
  expect(back.status).toBe(303);
  expect(back.headers.get("location")).toBe(
    `https://shop.example/done?step=2&account_id=${account.id}`,
  );
  expect(await accountsOf(ada)).toEqual([]);
});

test("the user's fields are stored with the grant", async () => {
  const ada = await signUp();
  const { app, server } = await newProvider(GRANTED);
  const oauth = { authorize_url: "https://shop.example.com/authorize", token_url: server.url };
  const fields = [{ name: "subdomain", label: "Subdomain", secret: false }];
  await operator.put(`/apps/${app}`, { name: "Shop", fields, oauth });
  const path = await linkOf(ada, app);
  const missing = await fillIn(path, {});
  expect(missing.status).toBe(422);
  expect(missing.text).toContain("Subdomain is required.");
  expect((await (await sentAway(path, app, { subdomain: "toys" })).callback()).status).toBe(200);
  const [account] = await accountsOf(ada);
  expect(await authOf(account.id, ada.user.id)).toMatchObject({
    subdomain: "toys",
    oauth_access_token: "token-1",
  });
});

test("anyone who sees an account may reconnect it under its id", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, bob);
  const { app } = await newProvider(
    GRANTED,
    tokens({ access_token: "token-2", refresh_token: "refresh-2", expires_in: 60, scope: "write" }),
  );
  await (await sentAway(await linkOf(ada, app, { org_id: workspace }), app)).callback();
  const [account] = await accountsOf(ada, workspace);
  await env.DB.prepare("UPDATE accounts SET error = 'revoked', dead = 1 WHERE id = ?")
    .bind(account.id)
    .run();
  const again = { account_id: account.id };
  expect(await eve.post("/accounts/authorize", { app, ...again })).toMatchObject({ status: 404 });
  const path = await linkOf(bob, app, again);
  expect((await (await sentAway(path, app)).callback()).text).toContain("Shop is connected");
  expect(await accountsOf(ada, workspace)).toMatchObject([
    { id: account.id, name: "Shop", healthy: true, dead: false },
  ]);
  expect(await authOf(account.id, workspace)).toMatchObject({ oauth_access_token: "token-2" });
  await (await sentAway(await linkOf(ada, app, { ...again, name: "Renamed" }), app)).callback();
  expect((await accountsOf(ada, workspace))[0].name).toBe("Renamed");
});
