import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { exchange } from "#durable-objects/account/exchange.ts";
import { networkOf } from "#sandbox/egress/network.ts";
import { putOauthApp } from "#services/oauth-apps.ts";
import { openVault } from "#vault/vault.ts";
import { openContext } from "#worker/bindings.ts";

import { deployed } from "../support/accounts.ts";
import { operator } from "../support/client.ts";
import { connected, HOUR, now, OLD, tokens } from "../support/oauth.ts";
import { newReceiver } from "../support/webhook.ts";

test("refreshes an access token that is about to expire before it is returned", async () => {
  const account = await connected(
    [tokens({ access_token: "new", refresh_token: "refresh-2", expires_in: HOUR })],
    { expiresAt: now() - 1 },
  );
  const renewed = {
    oauth_access_token: "new",
    oauth_refresh_token: "refresh-2",
    oauth_uid: "7",
    oauth_client_id: "client id",
  };
  expect(await account.auth()).toEqual(renewed);
  expect(await account.auth()).toEqual(renewed);
  const received = await account.server.received();
  expect(received).toHaveLength(1);
  expect(Object.fromEntries(new URLSearchParams(received[0]?.body))).toEqual({
    grant_type: "refresh_token",
    refresh_token: "refresh-1",
    client_id: "client id",
    client_secret: "client/secret",
  });
  expect(received[0]?.headers).toMatchObject({
    accept: "application/json",
    "accept-encoding": "identity",
    "content-type": "application/x-www-form-urlencoded",
  });
  const { expires_at: expiresAt, healthy } = await account.shown();
  expect(healthy).toBe(true);
  expect(expiresAt).toBeGreaterThan(now() + HOUR - 60);
  const row = await env.DB.prepare("SELECT * FROM accounts WHERE id = ?").bind(account.id).first();
  expect(JSON.stringify(row)).not.toContain("refresh-2");
});

test("does not refresh an access token that is still valid", async () => {
  const account = await connected([{ status: 500 }], { expiresAt: now() + HOUR });
  expect(await account.auth()).toEqual(OLD);
  expect(await account.server.received()).toEqual([]);
});

test("refreshes a token once for any number of waiting components", async () => {
  const account = await connected([
    tokens({ access_token: "new", expires_in: HOUR }, 300),
    { status: 400, body: '{"error":"invalid_grant"}' },
  ]);
  const code = `
    export default {
      name: "waiting", version: "0.0.1",
      props: { app: { type: "app", app: "${account.app}" }, http: "$.interface.http" },
      hooks: { deploy() { this.$emit(this.app.$auth.oauth_access_token); } },
      run() { this.$emit(this.app.$auth.oauth_access_token); },
    };`;
  const app = { authProvisionId: account.id };
  const [sources, grants] = await Promise.all([
    Promise.all(["a", "b", "c"].map(() => deployed(account.ada, code, { app }))),
    Promise.all(Array.from({ length: 20 }, () => account.auth())),
  ]);
  for (const auth of grants) expect(auth).toMatchObject({ oauth_access_token: "new" });
  for (const source of sources) {
    expect(await source.latest("")).toBe("new");
    expect(await source.run()).toBe("new");
  }
  expect(await account.server.received()).toHaveLength(1);
});

test("sends the client's credentials in a header if the app requires it", async () => {
  const account = await connected([tokens({ access_token: "new" })], { authentication: "basic" });
  expect(await account.auth()).toMatchObject({ oauth_access_token: "new" });
  const [received] = await account.server.received();
  expect(received?.headers["authorization"]).toBe(`Basic ${btoa("client+id:client%2Fsecret")}`);
  expect(received?.body).toBe("grant_type=refresh_token&refresh_token=refresh-1");
});

test("calls a token server once if its response is a form without an expiry", async () => {
  const account = await connected([{ status: 200, body: "access_token=new&scope=repo" }]);
  expect(await account.auth()).toMatchObject({
    oauth_access_token: "new",
    oauth_refresh_token: "refresh-1",
  });
  await account.auth();
  expect(await account.server.received()).toHaveLength(1);
  expect(await account.shown()).toMatchObject({ expires_at: null, healthy: true });
});

test("a rejected refresh is shown, fails runs with its reason, and is not repeated at once", async () => {
  const account = await connected([{ status: 400, body: '{"error":"invalid_grant"}' }], {
    expiresAt: now() - 1,
  });
  const reason =
    "its access token has expired and was not refreshed: the token server responded with 400 invalid_grant";
  expect(await account.auth()).toBe(reason);
  expect(await account.auth()).toBe(reason);
  expect(await account.server.received()).toHaveLength(1);
  expect(await account.shown()).toMatchObject({
    healthy: false,
    dead: true,
    error: "the token server responded with 400 invalid_grant",
    error_at: expect.any(Number),
  });
  const refused = await account.ada.post("/sources", {
    component_code: `export default {
      name: "a", version: "0.0.1", props: { app: { type: "app", app: "${account.app}" } },
      hooks: { deploy() {} }, run() {},
    };`,
    configured_props: { app: { authProvisionId: account.id } },
  });
  expect(refused).toMatchObject({
    status: 422,
    body: { error: `The deploy hook failed: AccountError: app: ${reason}` },
  });

  const credentials = { oauth_access_token: "given" };
  await operator.put(`/accounts/${account.id}`, { credentials });
  expect(await account.auth()).toEqual(credentials);
  expect(await account.shown()).toMatchObject({
    healthy: true,
    dead: false,
    error: null,
    error_at: null,
  });
});

test("refreshes an access token once for any number of requests that the provider rejected", async () => {
  const account = await connected([tokens({ access_token: "new", expires_in: HOUR })], {
    expiresAt: now() + HOUR,
  });
  const owner = account.ada.user.id;
  const granted = await Promise.all(
    Array.from({ length: 5 }, () => account.stub.tokenAfter(owner, "old")),
  );
  expect(granted).toEqual(Array.from({ length: 5 }, () => "new"));
  expect(await account.stub.tokenAfter("u_other", "old")).toBeNull();
  expect(await account.stub.tokenAfter(owner, "never given")).toBeNull();
  // A provider that rejects a new token has other reasons.
  expect(await account.stub.tokenAfter(owner, "new")).toBeNull();
  expect(await account.server.received()).toHaveLength(1);
});

test("a failed refresh fails no run while the old token is valid, but is shown", async () => {
  const account = await connected([{ status: 401 }], { expiresAt: now() + HOUR });
  await env.DB.prepare("UPDATE accounts SET refresh_at = 1 WHERE id = ?").bind(account.id).run();
  expect(await account.auth()).toEqual(OLD);
  expect(await account.shown()).toMatchObject({
    healthy: false,
    error: "the token server responded with 401",
  });
});

test("retries a refresh after an error of the token server", async () => {
  const account = await connected([
    { status: 503 },
    { status: 500, body: '{"error":"server_error"}' },
    tokens({ access_token: "new", expires_in: "3600" }),
  ]);
  expect(await account.auth()).toMatchObject({ oauth_access_token: "new" });
  expect(await account.server.received()).toHaveLength(3);
});

test.for([
  [
    { status: 200, body: '{"ok":false,"error":"invalid_refresh_token"}' },
    "200 invalid_refresh_token",
  ],
  [{ status: 200, body: "<html>" }, "200 without a token"],
  [{ status: 200, body: '{"access_token":7}' }, "200 without a token"],
  [{ status: 200, body: `access_token=${"x".repeat(70_000)}` }, "200 without a token"],
  [{ status: 400, body: '{"error":"no refresh-1 here"}' }, "400"],
] as const)("%o is a rejection, of which only the code is shown", async ([step, shown]) => {
  const account = await connected([step], { expiresAt: now() - 1 });
  await account.auth();
  expect(await account.shown()).toMatchObject({
    error: `the token server responded with ${shown}`,
  });
});

test("a redirect of a token server is not followed, because no other server may get the secret", async () => {
  const elsewhere = await newReceiver(tokens({ access_token: "stolen" }));
  const account = await connected([{ status: 307, headers: { location: elsewhere.url } }], {
    expiresAt: now() - 1,
  });
  expect(await account.auth()).toContain("the token server responded with 307");
  expect(await elsewhere.received()).toEqual([]);
});

test("a token URL must be public where the URLs of components must be", async () => {
  const { url, received } = await newReceiver(tokens({ access_token: "new" }));
  const client = {
    tokenUrl: url,
    clientId: "a",
    clientSecret: "b",
    authentication: "body",
  } as const;
  const guarded = { ...openContext(env), allowPrivateTargets: false };
  await expect(putOauthApp(guarded, { app: "guarded", ...client })).rejects.toThrow(
    "token_url: 127.0.0.1 is refused",
  );
  const network = { ...networkOf(exports.default, env), allowPrivate: false };
  expect(await exchange(client, "refresh-1", network)).toMatchObject({
    ok: false,
    reason: "the token server could not be reached",
  });
  expect(await received()).toEqual([]);
});

/** An account with a token server that responds when it is released, and a request for its credentials. */
async function refreshing() {
  const late = { ...tokens({ access_token: "late", expires_in: HOUR }), isHeld: true };
  const account = await connected([late], { expiresAt: now() - 1 });
  const waiting = account.auth();
  await expect.poll(account.server.received).toHaveLength(1);
  return { account, waiting };
}

test("credentials that the operator sets during a refresh override its outcome", async () => {
  const { account, waiting } = await refreshing();
  const credentials = { oauth_access_token: "given" };
  await operator.put(`/accounts/${account.id}`, { credentials });
  await account.server.release();
  expect(await waiting).toEqual(credentials);
  expect(await account.auth()).toEqual(credentials);
});

test("an account that is deleted during a refresh stays deleted", async () => {
  const { account, waiting } = await refreshing();
  await operator.delete(`/accounts/${account.id}`);
  await account.server.release();
  expect(await waiting).toBe("its account was deleted");
  const stored = await runInDurableObject(account.stub, (_, { storage }) => [...storage.kv.list()]);
  expect(stored).toEqual([]);
});

test("fetched tokens are not lost if the process crashes before it commits them", async () => {
  const account = await connected([{ status: 400 }], { expiresAt: now() - 1 });
  const fetched = { ...OLD, oauth_access_token: "fetched", oauth_refresh_token: "refresh-2" };
  const place = ["account", account.id, account.ada.user.id];
  const credentials = await openVault(env).seal(JSON.stringify(fetched), place);
  await runInDurableObject(account.stub, (_, { storage }) => {
    const times = { expiresAt: now() + HOUR, refreshAt: now() + HOUR - 300 };
    storage.kv.put("unsaved", { version: 1, credentials, ...times });
  });
  expect(await account.auth()).toEqual(fetched);
  expect(await account.server.received()).toEqual([]);
  expect(await account.shown()).toMatchObject({ healthy: true });
  const row = await env.DB.prepare("SELECT * FROM accounts WHERE id = ?").bind(account.id).first();
  expect(row).toMatchObject({ credentials, version: 2 });
});

test("returns the stored credentials of an account whose app has no OAuth settings", async () => {
  const account = await connected([], { expiresAt: now() - 1 });
  await operator.delete(`/oauth_apps/${account.app}`);
  expect(await account.auth()).toEqual(OLD);
});
