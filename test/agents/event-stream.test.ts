// @suites loader

import { expect, test } from "vitest";

import { follow } from "../support/event-streams.ts";
import { keyed, newSubscriber } from "../support/subscriptions.ts";

test("a stream begins with missed events, and continues with new ones", async () => {
  const { orders, agent, token } = await newSubscriber();
  const { cursor } = (await agent.send("events/poll", { name: orders.id })).body.result;
  await orders.emit({ id: 1 }, { id: 2 });
  const args = { name: orders.id, arguments: { filter: "event.id > 1" } };
  const { response, messages, data } = await follow(token, { ...args, cursor });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  await expect.poll(data).toEqual([{ id: 2 }]);
  await orders.emit({ id: 0 }, { id: 3 });
  await orders.emit({ id: 4 });
  await expect.poll(data).toEqual([{ id: 2 }, { id: 3 }, { id: 4 }]);
  const meta = { "io.modelcontextprotocol/subscriptionId": 7 };
  expect(messages[0]).toMatchObject({
    method: "notifications/events/active",
    params: { cursor, truncated: false, _meta: meta },
  });
  expect(messages.at(-1)?.params).toEqual({
    eventId: expect.any(String),
    name: orders.id,
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: { id: 4 },
    cursor: expect.any(String),
    _meta: meta,
  });
  const after = messages.find(({ params }) => (params?.data as { id?: number })?.id === 3);
  const polled = { name: orders.id, cursor: after?.params.cursor };
  const { events } = (await agent.send("events/poll", polled)).body.result;
  expect(events.map((event: { data: unknown }) => event.data)).toEqual([{ id: 4 }]);
});

test("a stream without a cursor begins with new events", async () => {
  const { orders, token } = await newSubscriber();
  await orders.emit({ id: 1 });
  const { messages, data } = await follow(token, { name: orders.id });
  await expect.poll(() => messages).toHaveLength(1);
  await orders.emit({ id: 2, text: "two\u2028lines" });
  await expect.poll(data).toEqual([{ id: 2, text: "two\u2028lines" }]);
});

/** The notification of the end of a subscription, and the result of its stream. */
const endOf = (error: object) => {
  const meta = { "io.modelcontextprotocol/subscriptionId": 7 };
  return [
    {
      jsonrpc: "2.0",
      method: "notifications/events/terminated",
      params: { error: { message: expect.any(String), ...error }, _meta: meta },
    },
    { jsonrpc: "2.0", id: 7, result: { resultType: "complete", _meta: meta } },
  ];
};

test("a stream ends with the reason and a result when its source is deleted", async () => {
  const { ada, orders, token } = await newSubscriber();
  const { messages, ended } = await follow(token, { name: orders.id });
  await expect.poll(() => messages).toHaveLength(1);
  await ada.delete(`/sources/${orders.id}`);
  await ended;
  expect(messages.slice(1)).toMatchObject(endOf({ code: -32023, data: { kind: "event" } }));
});

test("streams send heartbeats with their cursor, and one of a revoked key ends then", async () => {
  const [ada, bob] = [await newSubscriber(), await newSubscriber()];
  const [kept, ended] = [
    await follow(ada.token, { name: ada.orders.id }),
    await follow(bob.token, { name: bob.orders.id }),
  ];
  for (const { messages } of [kept, ended]) await expect.poll(() => messages).toHaveLength(1);
  await bob.ada.delete(`/agent_keys/${bob.key}`);
  await bob.orders.emit({ id: 1 });
  await ended.ended;
  const end = endOf({ code: -32024, data: { reason: "Access revoked" } });
  expect(ended.messages.slice(1)).toMatchObject(end);
  await expect.poll(() => kept.messages, { timeout: 20_000 }).toHaveLength(2);
  expect(kept.messages[1]).toMatchObject({
    method: "notifications/events/heartbeat",
    params: { cursor: kept.messages[0]?.params.cursor },
  });
});

test("rejects a stream of another user's source, and one with an invalid cursor", async () => {
  const [{ orders, agent }, other] = [await newSubscriber(), await newSubscriber()];
  const { body } = await other.agent.send("events/stream", { name: orders.id });
  expect(body.error).toMatchObject({ code: -32023, data: { code: "not_found" } });
  const params = { name: orders.id, cursor: "nonsense" };
  expect((await agent.send("events/stream", params)).body.error.code).toBe(-32602);
});

test("a key with the scope read alone opens no stream", async () => {
  const { ada, orders } = await newSubscriber();
  const { agent } = await keyed(ada, "read");
  const { status, headers, body } = await agent.send("events/stream", { name: orders.id });
  expect(status).toBe(403);
  expect(body.error).toMatchObject({ code: -32024, data: { scope: "subscribe" } });
  expect(headers.get("www-authenticate")).toContain('scope="subscribe"');
});
