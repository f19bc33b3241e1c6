// @suites loader

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { Deployments } from "#durable-objects/workflow/deployments.ts";
import { rewrapWorkflow } from "#durable-objects/workflow/rewrap.ts";
import { rewrapSecrets } from "#services/key-rotation.ts";
import { placeOfStep } from "#vault/secret-props.ts";
import { openVault } from "#vault/vault.ts";
import { openContext } from "#worker/bindings.ts";

import { newAccount } from "../support/accounts.ts";
import { operator, signUp } from "../support/client.ts";

/** The platform after a rotation of its master key: the old one is among the previous keys. */
function rotated() {
  const MASTER_KEY = "aa".repeat(32);
  return {
    ...openContext(env),
    vault: openVault({ MASTER_KEY, PREVIOUS_MASTER_KEYS: env.MASTER_KEY ?? "" }),
  };
}

const seqOf = async (id: string) =>
  (await env.DB.prepare("SELECT seq FROM accounts WHERE id = ?").bind(id).first<number>("seq")) ??
  0;

const credentialsOf = async (id: string) =>
  (await env.DB.prepare("SELECT credentials, key_id FROM accounts WHERE id = ?")
    .bind(id)
    .first<{ credentials: string; key_id: string }>()) ?? { credentials: "", key_id: "" };

test("re-encrypts credentials with the new key", async () => {
  const ada = await signUp();
  const id = await newAccount(ada.user.id, { credentials: { api_key: "sk_kept" } });
  const after = (await seqOf(id)) - 1;
  const before = await credentialsOf(id);
  const ctx = rotated();
  expect((await rewrapSecrets(ctx, after)).left).not.toContain(id);
  const { credentials, key_id } = await credentialsOf(id);
  expect(key_id).not.toBe(before.key_id);
  expect(credentials.split(".")[1]).toBe(key_id);
  expect(await ctx.vault.open(credentials, ["account", id, ada.user.id])).toContain("sk_kept");

  await rewrapSecrets(ctx, after);
  expect(await credentialsOf(id)).toEqual({ credentials, key_id });
});

test("lists a secret without a known key, and re-encrypts the others", async () => {
  const ada = await signUp();
  const [lost, found] = [await newAccount(ada.user.id), await newAccount(ada.user.id)];
  const stranger = openVault({ MASTER_KEY: "bb".repeat(32) });
  const sealed = await stranger.seal("{}", ["account", lost, ada.user.id]);
  await env.DB.prepare("UPDATE accounts SET credentials = ? WHERE id = ?").bind(sealed, lost).run();
  const after = (await seqOf(lost)) - 1;
  const { body } = await operator.post("/secrets/rewrap", { after });
  expect(body.data.left).toContain(lost);
  expect(body.data.left).not.toContain(found);
  expect((await rewrapSecrets(rotated(), after)).left).toContain(lost);
  expect((await credentialsOf(found)).key_id).not.toBe((await credentialsOf(lost)).key_id);
  await env.DB.prepare("DELETE FROM accounts WHERE id = ?").bind(lost).run();
});

test("re-encrypts secrets of a workflow's steps, and runs read them", async () => {
  const ada = await signUp();
  const component_code = `export default { name: "a", version: "0.0.1", type: "action",
    props: { token: { type: "string", secret: true } }, run() {} }`;
  const steps = [{ name: "one", component_code, props: { token: "kept" } }];
  const made = await operator.post("/workflows", { owner_id: ada.user.id, name: "Flow", steps });
  const { vault } = rotated();
  const [before, after] = await runInDurableObject(
    env.WORKFLOWS.getByName(made.body.data.id),
    async (_, { storage }) => {
      const sealed = () => new Deployments(storage).current()?.steps[0]?.sealed?.["token"];
      const old = sealed() ?? "";
      await rewrapWorkflow(new Deployments(storage), vault);
      return [old, sealed() ?? ""] as const;
    },
  );
  expect(after.split(".")[1]).not.toBe(before.split(".")[1]);
  expect(await vault.open(after, [...placeOfStep(ada.user.id, "one"), "token"])).toBe('"kept"');
});

test("only operators may rewrap secrets", async () => {
  const ada = await signUp();
  expect(await ada.post("/secrets/rewrap", { after: 0 })).toMatchObject({ status: 404 });
});
