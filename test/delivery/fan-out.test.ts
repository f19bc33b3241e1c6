// @suites release

import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { subscriptions, webhooks } from "#db/schema/tables.ts";
import { type Id, newId } from "#domain/ids.ts";

import { signUp } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { forgetRoutes } from "../support/routes.ts";
import { undeliveredEvents } from "../support/source-tables.ts";
import { newReceiver } from "../support/webhook.ts";

const ECHO = `export default { name: "Echo", version: "1", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body) } }`;

const WEBHOOKS = 600;

/** Copies at a time. */
const CHUNK = 50;

/** Copy a webhook and its only subscription, with another URL each: the API would take minutes. */
async function copyWebhook(id: Id<"webhook">, urls: readonly string[]): Promise<void> {
  const db = connect(env.DB);
  const [webhook] = await db.select().from(webhooks).where(eq(webhooks.id, id));
  const [link] = await db.select().from(subscriptions).where(eq(subscriptions.listenerId, id));
  if (!webhook || !link) throw new Error("There is no such subscription");
  const { seq: _, ...webhookRow } = webhook;
  const { seq: __, ...linkRow } = link;
  for (let first = 0; first < urls.length; first += CHUNK)
    await Promise.all(
      urls.slice(first, first + CHUNK).map(async (url) => {
        const copy = newId("webhook");
        await db.batch([
          db.insert(webhooks).values({ ...webhookRow, id: copy, url }),
          db
            .insert(subscriptions)
            .values({ ...linkRow, id: newId("subscription"), listenerId: copy }),
        ]);
        await env.WEBHOOKS.getByName(copy).configure({ id: copy, url, active: true });
      }),
    );
  await forgetRoutes(webhook.ownerId);
}

test("an event reaches 600 webhooks, and then leaves the outbox", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/sources", { component_code: ECHO });
  const { id, configured_props: props } = body.data;
  const receiver = await newReceiver({ status: 200 });
  const [url = "", ...others] = Array.from(
    { length: WEBHOOKS },
    (_, index) => `${receiver.url}?hook=${index}`,
  );
  const listener = (await ada.post("/webhooks", { url })).body.data.id;
  const link = { emitter_id: id, listener_id: listener };
  expect((await ada.post("/subscriptions", link)).status).toBe(200);
  await copyWebhook(listener, others);
  await sendJson(props.http.endpoint_url, { say: "all" });
  // A busy receiver may get a delivery twice.
  const reached = async () =>
    new Map((await receiver.received()).map(({ query, headers }) => [query, headers]));
  const rarely = { interval: 250, timeout: 45_000 };
  await expect.poll(async () => (await reached()).size, rarely).toBe(WEBHOOKS);
  const headers = [...(await reached()).values()];
  expect(new Set(headers.map((each) => each["webhook-signature"])).size).toBe(WEBHOOKS);
  await expect.poll(() => undeliveredEvents(env.SOURCES.getByName(id))).toBe(0);
});
