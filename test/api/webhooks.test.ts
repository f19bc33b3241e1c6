// @suites loader

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { Id } from "#domain/ids.ts";

import { operator, signUp } from "../support/client.ts";
import { giveUpAll, newDelivery, newReceiver, passTime } from "../support/webhook.ts";

test("an owner creates, reads, lists, changes and deletes a webhook", async () => {
  const ada = await signUp();
  const created = await ada.post("/webhooks?url=https://example.com/hook&name=Orders");
  expect(created).toMatchObject({
    status: 200,
    body: {
      data: {
        id: expect.stringMatching(/^wh_/),
        user_id: ada.user.id,
        url: "https://example.com/hook",
        name: "Orders",
        description: null,
        active: true,
        signing_secret: expect.stringMatching(/^whsec_/),
      },
    },
  });
  const { id } = created.body.data;
  const read = await ada.get(`/webhooks/${id}`);
  expect(read.body.data).toMatchObject({ id, active: true, inactive_reason: null });
  expect(read.body.data).not.toHaveProperty("signing_secret");
  expect((await ada.get("/users/me/webhooks")).body).toMatchObject({
    page_info: { total_count: 1, count: 1 },
    data: [{ id }],
  });
  expect(await ada.put(`/webhooks/${id}`, { active: false, name: null })).toMatchObject({
    status: 200,
    body: { data: { active: false, name: null, url: "https://example.com/hook" } },
  });
  expect((await ada.get(`/webhooks/${id}`)).body.data.active).toBe(false);
  expect(await ada.delete(`/webhooks/${id}`)).toMatchObject({ status: 204 });
  expect(await ada.get(`/webhooks/${id}`)).toMatchObject({ status: 404 });
});

test.for([
  "https://user:password@example.com/",
  "https://user@example.com/",
  "https://:password@example.com/",
  "ftp://example.com",
  "example.com",
  "https://",
  "mailto:a@b.c",
  "",
])("rejects the url %j, and stores nothing", async (url) => {
  const ada = await signUp();
  expect(await ada.post("/webhooks", { url })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("url"), code: "invalid_input" },
  });
  expect((await ada.get("/users/me/webhooks")).body.data).toEqual([]);
});

async function failing() {
  const ada = await signUp();
  const headers = { "x-region": "north" };
  const receiver = await newReceiver({ status: 500, headers, body: "broken" }, { status: 200 });
  const { body } = await ada.post("/webhooks", { url: receiver.url });
  const id = body.data.id as Id<"webhook">;
  const stub = env.WEBHOOKS.getByName(id);
  await stub.take([newDelivery({ eventName: "orders" })]);
  const list = async () => (await ada.get(`/webhooks/${id}/deliveries`)).body;
  await expect.poll(async () => (await list()).data[0]?.state).toBe("failed");
  return { ada, id, stub, receiver, list };
}

test("a delivery shows its attempts and when the next one is due", async () => {
  const { list, stub } = await failing();
  expect(await list()).toMatchObject({
    page_info: { total_count: 1, count: 1 },
    data: [
      {
        event_name: "orders",
        emitter_id: "dc_emitter",
        attempts: [
          {
            status: 500,
            response: "broken",
            at_ms: expect.any(Number),
            latency_ms: expect.any(Number),
          },
        ],
        next_attempt_at_ms: expect.any(Number),
        next_attempt_at: expect.any(Number),
      },
    ],
  });
  await passTime(stub);
  await expect.poll(async () => (await list()).data[0].state).toBe("delivered");
});

test("a delivery can be retried at once, and a range of time replayed", async () => {
  const { ada, id, list, receiver } = await failing();
  const [delivery] = (await list()).data;
  expect(await ada.post(`/webhooks/${id}/deliveries/${delivery.id}/retry`)).toMatchObject({
    status: 202,
  });
  await expect.poll(async () => (await list()).data[0].state).toBe("delivered");
  expect(await ada.post(`/webhooks/${id}/deliveries/dlv_none/retry`)).toMatchObject({
    status: 404,
  });
  const replay = await ada.post(`/webhooks/${id}/replay`, { from_ms: Date.now() - 60_000 });
  expect(replay).toMatchObject({ status: 202, body: { data: { count: 1 } } });
  await expect.poll(async () => (await receiver.received()).length).toBe(3);
  expect(await ada.post(`/webhooks/${id}/replay`, {})).toMatchObject({ status: 400 });
});

test("a delivery shows its request without its signatures, and the response", async () => {
  const { ada, id, list, receiver } = await failing();
  const [delivery] = (await list()).data;
  const [sent] = await receiver.received();
  const read = await ada.get(`/webhooks/${id}/deliveries/${delivery.id}`);
  const { request, response, ...rest } = read.body.data;
  expect(rest).toEqual(delivery);
  expect(request).toMatchObject({
    method: "POST",
    url: receiver.url,
    body: sent?.body,
    body_bytes: sent?.body.length,
    truncated: false,
  });
  expect(request.headers).not.toHaveProperty("webhook-signature");
  expect(response).toMatchObject({
    headers: { "x-region": "north" },
    body: "broken",
    truncated: false,
  });
  expect(sent?.headers).toMatchObject(request.headers);
  const eve = await signUp();
  expect((await eve.get(`/webhooks/${id}/deliveries/${delivery.id}`)).status).toBe(404);
  expect((await ada.get(`/webhooks/${id}/deliveries/dlv_none`)).status).toBe(404);
});

test("a replay can be counted without sending anything", async () => {
  const { ada, id, list, receiver } = await failing();
  const [delivery] = (await list()).data;
  await ada.post(`/webhooks/${id}/deliveries/${delivery.id}/retry`);
  await expect.poll(async () => (await list()).data[0].state).toBe("delivered");
  const counted = await ada.post(`/webhooks/${id}/replay`, { from_ms: 0, dry_run: true });
  expect(counted).toMatchObject({ status: 202, body: { data: { count: 1 } } });
  const none = await ada.post(`/webhooks/${id}/replay`, { from_ms: 0, to_ms: 1, dry_run: true });
  expect(none.body.data.count).toBe(0);
  expect((await list()).data[0].state).toBe("delivered");
  expect(await receiver.received()).toHaveLength(2);
});

/** A list of operators, after the report of an owner's deliveries, which would gather for seconds. */
async function listedFor(ownerId: string, path: string) {
  await env.OWNERS.getByName(ownerId).flushUsage();
  return (await operator.get(path)).body.data;
}

test("operators find failing webhooks, and retry their deliveries", async () => {
  const { ada, id, list } = await failing();
  const [delivery] = (await list()).data;
  await runDurableObjectAlarm(env.WEBHOOKS.getByName(id));
  await expect
    .poll(() => listedFor(ada.user.id, "/failing_webhooks"))
    .toContainEqual(expect.objectContaining({ webhook_id: id, failed_deliveries: 1 }));
  const path = `/webhooks/${id}/deliveries`;
  const { body } = await operator.get(`${path}?limit=1`);
  expect(body.data).toMatchObject([{ id: delivery.id }]);
  expect((await operator.post(`${path}/${delivery.id}/retry`)).status).toBe(202);
  await expect.poll(async () => (await list()).data[0].state).toBe("delivered");
});

test("operators see failed deliveries of all webhooks, without their payloads", async () => {
  const { ada, id, receiver } = await failing();
  const stub = env.WEBHOOKS.getByName(id);
  await giveUpAll(stub);
  await runDurableObjectAlarm(stub);
  const own = async () =>
    (await listedFor(ada.user.id, "/dead_letters")).filter(
      (letter: { webhook_id: string }) => letter.webhook_id === id,
    );
  await expect.poll(own).toMatchObject([
    {
      id: expect.stringMatching(/^dlv_/),
      owner_id: ada.user.id,
      url: receiver.url,
      attempts: 1,
      last_status: 500,
      last_error: null,
    },
  ]);
  const [sent] = await receiver.received();
  const { body } = await operator.get("/dead_letters");
  expect(JSON.stringify(body)).not.toContain(sent?.body ?? "");
  expect(JSON.stringify(body)).not.toContain("broken");
  expect((await ada.get("/dead_letters")).status).toBe(404);
});

test("a new secret is shown once, and a replay sends nothing for an inactive webhook", async () => {
  const { ada, id } = await failing();
  expect(await ada.post(`/webhooks/${id}/rotate_secret`, { overlap_seconds: 60 })).toMatchObject({
    status: 200,
    body: { data: { signing_secret: expect.stringMatching(/^whsec_/) } },
  });
  await ada.put(`/webhooks/${id}`, { active: false });
  expect(await ada.post(`/webhooks/${id}/replay`, { from_ms: 0 })).toMatchObject({ status: 409 });
});

test.for([
  "http:///path",
  "https://",
  "http:\\\\host",
  "https://?q",
  "ftp://a.example",
  "a.example",
])("a webhook needs a URL with a host: not %s", async (url) => {
  const ada = await signUp();
  const refused = await ada.post("/webhooks", { url });
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining("url")]);
  expect((await ada.get("/users/me/webhooks")).body.data).toEqual([]);
});
