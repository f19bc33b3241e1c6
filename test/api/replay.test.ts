import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { signUp, workspaceOf } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { newReceiver } from "../support/webhook.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

const CODE = `export default { name: "Emitting", version: "1", dedupe: "unique", props: { http: "$.interface.http" },
  run({ body }) {
    if (body.fails) throw new Error("no");
    console.log("seen");
    this.$emit(body, { id: body.n, summary: "No " + body.n });
  } }`;

async function deploy(client: Client, more: object = {}) {
  const { body } = await client.post("/sources", { component_code: CODE, ...more });
  return { id: body.data.id, url: body.data.configured_props.http.endpoint_url as string };
}

/** A receiver of a webhook that is subscribed to a source. */
async function listen(client: Client, emitterId: string) {
  const receiver = await newReceiver({ status: 200 });
  const { body } = await client.post("/webhooks", { url: receiver.url });
  await client.post("/subscriptions", { emitter_id: emitterId, listener_id: body.data.id });
  return receiver;
}

const eventsOf = async (client: Client, id: string, channel = "") =>
  (await client.get(`/sources/${id}${channel}/event_summaries?expand=event`)).body.data;

test("a replay delivers an event to its current listeners, and names the original", async () => {
  const ada = await signUp();
  const { id, url } = await deploy(ada);
  const before = await listen(ada, id);
  await sendJson(url, { n: 7 });
  // Its listeners are determined by then: later subscribers do not receive it.
  await expect.poll(before.received).toHaveLength(1);
  const [first] = await eventsOf(ada, id);
  const receiver = await listen(ada, id);

  const replayed = await ada.post(`/sources/${id}/events/${first.id}/replay`);
  expect(replayed).toMatchObject({
    status: 200,
    body: {
      data: {
        event: { n: 7 },
        metadata: { id: "7", summary: "No 7", name: "", replay_of: first.metadata.emit_id },
      },
    },
  });
  const { data } = replayed.body;
  expect(data.metadata.emit_id).not.toBe(first.metadata.emit_id);
  await expect
    .poll(receiver.received)
    .toMatchObject([{ headers: { "webhook-id": data.metadata.emit_id }, body: `{"n":7}` }]);
  expect(await eventsOf(ada, id)).toHaveLength(2);
  const again = await ada.post(`/sources/${id}/events/${data.id}/replay`);
  expect(again.body.data.metadata.replay_of).toBe(first.metadata.emit_id);
  // Dedupe does not remember the replayed event.
  await sendJson(url, { n: 7 });
  await sendJson(url, { n: 8 });
  await expect.poll(() => eventsOf(ada, id)).toHaveLength(4);
});

test("a single event is read whole by users who may see its source", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const { id, url } = await deploy(ada, { org_id: await workspaceOf(ada, bob) });
  const text = "x".repeat(5000);
  await sendJson(url, { n: 1, text });
  await expect.poll(() => eventsOf(ada, id)).toHaveLength(1);
  const [event] = await eventsOf(ada, id);
  expect((await bob.get(`/sources/${id}/events/${event.id}`)).body.data).toEqual(event);
  expect(event.event.text).toBe(text);
  for (const path of [`/sources/${id}/events/${event.id}`, `/sources/${id}/events/1-0`]) {
    expect((await eve.get(path)).status).toBe(404);
    expect((await eve.post(`${path}/replay`)).status).toBe(404);
  }
  expect((await ada.get(`/sources/${id}/events/1-0`)).status).toBe(404);
  expect((await ada.get(`/sources/${id}/events/nonsense`)).status).toBe(404);
  expect((await ada.post(`/sources/${id}/events/1-0/replay`)).status).toBe(404);
  await ada.delete(`/sources/${id}/events`);
  expect((await ada.post(`/sources/${id}/events/${event.id}/replay`)).status).toBe(404);
});

test("replays errors, but no log lines", async () => {
  const ada = await signUp();
  const { id, url } = await deploy(ada);
  await sendJson(url, { n: 1 });
  await sendJson(url, { fails: true });
  await expect.poll(() => eventsOf(ada, id, "/$errors")).toHaveLength(1);
  const [error] = await eventsOf(ada, id, "/$errors");
  expect(await ada.post(`/sources/${id}/events/${error.id}/replay`)).toMatchObject({
    status: 200,
    body: { data: { metadata: { name: "$errors", replay_of: error.metadata.emit_id } } },
  });
  const [line] = await eventsOf(ada, id, "/$logs");
  expect(await ada.post(`/sources/${id}/events/${line.id}/replay`)).toMatchObject({
    status: 409,
    body: { code: "conflict" },
  });
  expect(await env.SOURCES.getByName("dc_none").replay(error.id)).toBeNull();
});
