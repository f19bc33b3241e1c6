import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";

import { newSigningSecret } from "#domain/signature.ts";
import { Secrets } from "#durable-objects/webhook/secrets.ts";
import { rewrapSecrets } from "#services/key-rotation.ts";
import { openVault } from "#vault/vault.ts";
import { openContext } from "#worker/bindings.ts";

import { signUp } from "../support/client.ts";
import { type Line, linesOf } from "../support/telemetry.ts";
import {
  changeStored,
  deliveriesOf,
  newDelivery,
  newWebhook,
  passTime,
  statesOf,
  type WebhookStub,
} from "../support/webhook.ts";

/** All values in an object's key-value storage, as text. */
const keptBy = (stub: WebhookStub) =>
  runInDurableObject(stub, (_, { storage }) => JSON.stringify([...storage.kv.list()]));

/** Whether a secret signed the last received request. */
function isSignedBy(secret: string, received: { body: string; headers: Record<string, string> }) {
  return new Webhook(secret).verify(received.body, received.headers) !== undefined;
}

test("an object stores its signing secrets encrypted, and signs with them after an eviction", async () => {
  const { stub, signingSecret, received } = await newWebhook();
  const { signingSecret: rotated } = await stub.rotateSecret();
  const kept = await keptBy(stub);
  for (const secret of [signingSecret, rotated]) expect(kept).not.toContain(secret?.slice(6));
  await evictDurableObject(stub);
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  const [delivered] = await received();
  if (!delivered) throw new Error("nothing was received");
  for (const secret of [signingSecret, rotated ?? ""])
    expect(isSignedBy(secret, delivered)).toBe(true);
});

test("an earlier release's plain secret is encrypted at its first use", async () => {
  const { stub, received } = await newWebhook();
  const [newest, old] = [newSigningSecret(), newSigningSecret()];
  const overlap = { secret: old, untilMs: Date.now() + 60_000 };
  await changeStored(stub, (kv) => kv.put("secrets", [{ secret: newest, untilMs: null }, overlap]));
  await stub.take([newDelivery()]);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  const [delivered] = await received();
  if (!delivered) throw new Error("nothing was received");
  for (const secret of [newest, old]) {
    expect(isSignedBy(secret, delivered)).toBe(true);
    expect(await keptBy(stub)).not.toContain(secret.slice(6));
  }
  expect(await stub.secrets()).toMatchObject([{ secret: newest, untilMs: null }, { secret: old }]);
});

test("secrets in the format of a later release stay unchanged, and deliveries wait for it", async () => {
  const { stub, signingSecret, received } = await newWebhook();
  const later = { enclosed: "what a later release writes", untilMs: null };
  const keep = (secrets: unknown) => changeStored(stub, (kv) => kv.put("secrets", secrets));
  const own = await runInDurableObject(stub, (_, { storage }) =>
    storage.kv.get<unknown[]>("secrets"),
  );
  await keep([later, ...(own ?? [])]);
  expect(await stub.secrets()).toMatchObject([{ secret: signingSecret }]);
  await keep([later]);
  const lines: Line[] = [];
  await linesOf(
    "error",
    async () => {
      await stub.take([newDelivery()]);
      await expect.poll(() => JSON.stringify(lines)).toContain("were stored by a later release");
    },
    lines,
  );
  expect(await deliveriesOf(stub)).toMatchObject([{ state: "pending", attempts: [] }]);
  await stub.rewrap();
  expect(await keptBy(stub)).toContain(later.enclosed);
  await keep(own);
  await passTime(stub);
  await expect.poll(() => statesOf(stub)).toEqual(["delivered"]);
  expect(await received()).toHaveLength(1);
});

test("re-encrypts secrets with a new master key", async () => {
  const { id, stub, signingSecret } = await newWebhook();
  const MASTER_KEY = "aa".repeat(32);
  await runInDurableObject(stub, async (_, { storage }) => {
    const vault = openVault({ MASTER_KEY, PREVIOUS_MASTER_KEYS: env.MASTER_KEY ?? "" });
    const deps = { kv: storage.kv, webhookId: () => id };
    await new Secrets({ ...deps, vault }).rewrap();
    const renewed = new Secrets({ ...deps, vault: openVault({ MASTER_KEY }) });
    expect(await renewed.valid(Date.now())).toEqual([signingSecret]);
  });
});

test("rotating the master key includes webhooks", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/webhooks", { url: "http://127.0.0.1:9/" });
  const id: string = body.data.id;
  const secret = newSigningSecret();
  const stub = env.WEBHOOKS.getByName(id);
  await changeStored(stub, (kv) => kv.put("secrets", [{ secret, untilMs: null }]));
  const seq = await env.DB.prepare("SELECT seq FROM webhooks WHERE id = ?")
    .bind(id)
    .first<number>("seq");
  const { left } = await rewrapSecrets(openContext(env), (seq ?? 0) - 1);
  expect(left).not.toContain(id);
  expect(await keptBy(stub)).not.toContain(secret.slice(6));
});
