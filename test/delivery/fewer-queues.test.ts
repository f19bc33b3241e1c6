import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { OwnerId } from "#domain/ids.ts";
import type { EmissionMessage } from "#domain/messages.ts";
import { queueOf } from "#domain/queues.ts";
import { shardsIn } from "#domain/shards.ts";

import { signUp } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { storeEvents, undeliveredEvents } from "../support/source-tables.ts";
import { newReceiver } from "../support/webhook.ts";

const ECHO = `export default { name: "Echo", version: "1", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body) } }`;

const [, second] = shardsIn<Queue<EmissionMessage>>(env, "EMISSIONS", env.EMISSIONS);
if (!second) throw new Error("The tests have two queues");

/** A source with its messages in the second queue. */
async function sourceOfSecondQueue(ada: Awaited<ReturnType<typeof signUp>>) {
  for (;;) {
    const { body } = await ada.post("/sources", { component_code: ECHO });
    const url: string = body.data.configured_props["http"].endpoint_url;
    if (queueOf(env, body.data.id) === second) return { id: body.data.id as `dc_${string}`, url };
  }
}

test("with fewer queues, the messages of a removed one are consumed, and new ones are in the others", async () => {
  const ada = await signUp();
  const { id, url } = await sourceOfSecondQueue(ada);
  const receiver = await newReceiver({ status: 200 });
  const webhook = await ada.post("/webhooks", { url: receiver.url });
  await ada.post("/subscriptions", { emitter_id: id, listener_id: webhook.body.data.id });
  const received = async () => (await receiver.received()).map(({ body }) => JSON.parse(body));
  await sendJson(url, "before");
  await expect.poll(received).toEqual(["before"]);

  const stub = env.SOURCES.getByName(id);
  const positions = await storeEvents(stub, [`"meanwhile"`], { isUndelivered: true });
  const message = { sourceId: id, ownerId: ada.user.id as OwnerId, positions };
  await second.send(message, { delaySeconds: 1 });
  Reflect.set(env, "QUEUE_SHARDS", "1");
  try {
    await evictDurableObject(stub);
    expect(queueOf(env, id)).toBe(env.EMISSIONS);
    await sendJson(url, "after");
    // The one that was emitted meanwhile may be routed first.
    const sorted = async () => (await received()).map(String).toSorted();
    await expect.poll(sorted).toEqual(["after", "before", "meanwhile"]);
  } finally {
    Reflect.set(env, "QUEUE_SHARDS", "2");
  }
  await expect.poll(() => undeliveredEvents(stub)).toBe(0);
});
