// @suites release

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { newReceiver } from "../support/webhook.ts";

const ECHO = `export default { name: "Echo", version: "1", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body) } }`;

const WEBHOOKS = 600;

/** Requests at a time. */
const CHUNK = 50;

test("an event reaches 600 webhooks, and then leaves the outbox", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/sources", { component_code: ECHO });
  const { id, configured_props: props } = body.data;
  const receiver = await newReceiver({ status: 200 });
  for (let first = 0; first < WEBHOOKS; first += CHUNK) {
    const subscribed = await Promise.all(
      Array.from({ length: CHUNK }, async (_, index) => {
        const url = `${receiver.url}?hook=${first + index}`;
        const listener = (await ada.post("/webhooks", { url })).body.data.id;
        return ada.post("/subscriptions", { emitter_id: id, listener_id: listener });
      }),
    );
    expect(new Set(subscribed.map(({ status }) => status))).toEqual(new Set([200]));
  }
  await sendJson(props.http.endpoint_url, { say: "all" });
  // A busy receiver may get a delivery twice.
  const reached = async () =>
    new Map((await receiver.received()).map(({ query, headers }) => [query, headers]));
  const rarely = { interval: 250, timeout: 240_000 };
  await expect.poll(async () => (await reached()).size, rarely).toBe(WEBHOOKS);
  const headers = [...(await reached()).values()];
  expect(new Set(headers.map((each) => each["webhook-signature"])).size).toBe(WEBHOOKS);
  const undelivered = () =>
    runInDurableObject(env.SOURCES.getByName(id), (_, { storage }) =>
      storage.sql.exec("SELECT count(*) AS n FROM events WHERE undelivered = 1").one(),
    );
  await expect.poll(undelivered).toEqual({ n: 0 });
}, 300_000);
