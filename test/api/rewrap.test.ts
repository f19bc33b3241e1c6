// @suites loader

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { accountById } from "#db/accounts.ts";
import { connect } from "#db/client.ts";
import { oauthApp } from "#db/oauth-apps.ts";
import { type Id, newToken } from "#domain/ids.ts";
import type { Deployment } from "#durable-objects/source/contract.ts";
import { rewrapSecrets } from "#services/key-rotation.ts";
import { openVault } from "#vault/vault.ts";
import { openContext } from "#worker/bindings.ts";

import { deployed, newAccount } from "../support/accounts.ts";
import { operator, signUp } from "../support/client.ts";

const CODE = `
  export default {
    name: "keeping", version: "0.0.1",
    props: {
      github: { type: "app", app: "github" }, http: "$.interface.http",
      token: { type: "string", secret: true },
    },
    run() { this.$emit([this.github.$auth.api_key, this.token]); },
  };`;

const older = openVault({ MASTER_KEY: env.PREVIOUS_MASTER_KEYS ?? "" });
const rotated = openVault({ MASTER_KEY: env.MASTER_KEY ?? "" });

const opened = (sealed = "", place: string[] = []) => rotated.open(sealed, place);

/** Ids of all stored secrets that could not be re-encrypted. */
async function leftByAll(): Promise<string[]> {
  const left: string[] = [];
  for (let after: number | null = 0; after !== null;) {
    const stretch = await rewrapSecrets(openContext(env), after);
    left.push(...stretch.left);
    after = stretch.next;
  }
  return left;
}

test("re-encrypts stored secrets with a new master key, so that the old one is no longer needed", async () => {
  const ada = await signUp();
  const account = await newAccount(ada.user.id);
  const app = `app_${newToken()}`;
  const settings = { app, token_url: "https://example.com/token", client_id: "a" };
  await operator.post("/oauth_apps", { ...settings, client_secret: "b" });
  const github = { authProvisionId: account };
  const source = await deployed(ada, CODE, { github, token: "kept" });

  // Encrypted with the previous master key.
  const places = {
    account: ["account", account, ada.user.id],
    app: ["oauth_app", app],
    source: ["source", source.id, ada.user.id, "token"],
  };
  const credentials = await older.seal('{"api_key":"sk"}', places.account);
  await env.DB.prepare("UPDATE accounts SET credentials = ?, key_id = 'x' WHERE id = ?")
    .bind(credentials, account)
    .run();
  await env.DB.prepare("UPDATE oauth_apps SET client_secret = ? WHERE app = ?")
    .bind(await older.seal("secret", places.app), app)
    .run();
  const token = await older.seal('"kept"', places.source);
  const stub = env.SOURCES.getByName(source.id);
  await runInDurableObject(stub, (_, { storage }) => {
    const deployment = storage.kv.get<Deployment>("deployment");
    storage.kv.put("deployment", { ...deployment, sealedProps: { token } });
  });
  await evictDurableObject(stub);
  expect(await source.run()).toEqual(["sk", "kept"]);

  // Other tests leave secrets that only their own keys decrypt.
  const left = await leftByAll();
  for (const id of [account, app, source.id]) expect(left).not.toContain(id);
  const row = await accountById(connect(env.DB), account as Id<"account">);
  const client = await oauthApp(connect(env.DB), app);
  const stored = await runInDurableObject(stub, (_, { storage }) =>
    storage.kv.get<Deployment>("deployment"),
  );
  expect(row?.keyId).toBe(client?.keyId);
  expect([
    await opened(row?.credentials, places.account),
    await opened(client?.clientSecret, places.app),
    await opened(stored?.sealedProps?.["token"], places.source),
  ]).toEqual(['{"api_key":"sk"}', "secret", '"kept"']);
  expect(await source.run()).toEqual(["sk", "kept"]);
  await evictDurableObject(stub);
  expect(await source.run()).toEqual(["sk", "kept"]);
});
