import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { expect, test, vi } from "vitest";

import { newId } from "#domain/ids.ts";

import { newDelivery, newReceiver } from "../support/webhook.ts";

/** The signature that a receiver computes with the shown key. */
async function signatureOf(key: string, time: string, body: string): Promise<string> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", bytes(key), algorithm, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", imported, bytes(`${time}.${body}`));
  return new Uint8Array(signed).toHex();
}

async function deliveredBy(settings: object) {
  const receiver = await newReceiver({ status: 200 });
  const id = newId("webhook");
  const stub = env.WEBHOOKS.getByName(id);
  const given = { id, url: receiver.url, active: true };
  const { signingSecret } = await stub.configure({ ...given, ...settings });
  // A configuration without the setting keeps it.
  await stub.configure(given);
  await stub.take([newDelivery({ payload: `{"name":"Zoë"}` })]);
  await vi.waitUntil(async () => (await receiver.received()).length > 0, { timeout: 15_000 });
  const [request] = await receiver.received();
  return { request, secret: signingSecret ?? "" };
}

test("a webhook of the Connect API has Connect's signature and that of Standard Webhooks", async () => {
  const { request, secret } = await deliveredBy({ connectSignature: true });
  const { headers = {}, body = "" } = request ?? {};
  const [, time = "", signature] =
    /^t=(\d+),v1=([\da-f]{64})$/.exec(String(headers["x-pd-signature"])) ?? [];
  expect(signature).toBe(await signatureOf(secret, time, body));
  expect(time).toBe(headers["webhook-timestamp"]);
  expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
});

test("any other webhook has only the signature of Standard Webhooks", async () => {
  const { request } = await deliveredBy({});
  expect(request?.headers).not.toHaveProperty("x-pd-signature");
  expect(request?.headers).toHaveProperty("webhook-signature");
});
