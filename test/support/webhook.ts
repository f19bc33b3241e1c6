import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { inject } from "vitest";

import { eventId } from "#domain/event-ids.ts";
import { newId, newToken } from "#domain/ids.ts";
import type { NewDelivery } from "#durable-objects/webhook/contract.ts";

import type { Received, Step } from "./receiver-server.ts";
import { makeRetriesDue } from "./webhook-tables.ts";

export type WebhookStub = DurableObjectStub<
  import("#durable-objects/webhook/object.ts").WebhookObject
>;

let count = 0;

/** An event for a webhook to deliver. */
export function newDelivery(change: Partial<NewDelivery> = {}): NewDelivery {
  count += 1;
  const position = change.position ?? Date.now() * 1000 + (count % 1000);
  return {
    position,
    emitterId: "dc_emitter",
    eventId: eventId(position),
    emitId: newToken(),
    eventName: "",
    hops: 1,
    payload: `{"n":${count}}`,
    ...change,
  };
}

/** An external receiver with scripted responses. */
export function newReceiver(...script: Step[]) {
  return receiverAt(newToken(), script);
}

async function receiverAt(path: string, script: Step[]) {
  const url = `${inject("receiverServer")}/${path}`;
  await fetch(url, { method: "PUT", body: JSON.stringify(script) });
  const received = async () => (await (await fetch(url)).json()) as Received[];
  /** Answer the held requests, and all later ones. */
  const release = async (): Promise<void> =>
    void (await fetch(`${url}?release`, { method: "PUT" }));
  return { url, received, release };
}

/** A callback of an agent, which returns challenges. */
export async function newCallback(...script: Step[]) {
  const receiver = await receiverAt(`agent-${newToken()}`, script);
  const all = async () =>
    (await receiver.received()).map(({ headers, body }) => ({ headers, body: JSON.parse(body) }));
  return {
    ...receiver,
    /** The received events and control messages, without challenges. */
    messages: async () => (await all()).filter(({ body }) => body.type !== "verification"),
    challenges: async () => (await all()).filter(({ body }) => body.type === "verification"),
  };
}

/** A webhook that delivers to its own receiver with scripted responses. */
export async function newWebhook(...script: Step[]) {
  const receiver = await newReceiver(...script);
  const id = newId("webhook");
  const stub = env.WEBHOOKS.getByName(id);
  const { signingSecret } = await stub.configure({ id, url: receiver.url, active: true });
  return { id, stub, ...receiver, signingSecret: signingSecret ?? "" };
}

/** All deliveries of a webhook, newest first. */
export async function deliveriesOf(stub: WebhookStub) {
  return (await stub.deliveries({ limit: 100 })).deliveries;
}

export async function statesOf(stub: WebhookStub) {
  return (await deliveriesOf(stub)).map(({ state }) => state);
}

/** Make every wait of a webhook due, and run its alarm handler. */
export async function passTime(stub: WebhookStub): Promise<void> {
  await makeRetriesDue(stub);
  await runDurableObjectAlarm(stub);
}

const FIVE_DAYS_MS = 5 * 24 * 3600 * 1000;

/** Make every delivery of a webhook one that it gave up, as after the attempts of days. */
export function giveUpAll(stub: WebhookStub): Promise<void> {
  return runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec("UPDATE deliveries SET state = 'dead', due_ms = NULL, settled_ms = 1");
  });
}

/** Move the first failure of a webhook five days back. */
export function failingForFiveDays(stub: WebhookStub): Promise<void> {
  return changeStored(stub, (kv) => {
    const standing = kv.get<object>("standing");
    kv.put("standing", { ...standing, failingSinceMs: Date.now() - FIVE_DAYS_MS });
  });
}

/** Change the stored values of a webhook, which its next process reads. */
export async function changeStored(
  stub: WebhookStub,
  change: (kv: SyncKvStorage) => void,
): Promise<void> {
  await runInDurableObject(stub, (_, { storage }) => change(storage.kv));
  await evictDurableObject(stub);
}
