import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { laneOf, positionOf } from "#domain/event-ids.ts";
import { shardName } from "#domain/source-shards.ts";

import { ORIGIN, signUp } from "../support/client.ts";
import {
  type Deployed,
  deploySharded,
  listed,
  MANY,
  numbers,
  objectOf,
  sendMany,
  sorted,
} from "../support/shards.ts";
import { reportUsage } from "../support/usage.ts";
import { newReceiver } from "../support/webhook.ts";

test("events of all shards are one history, with unique ids in order, and pages of it", async () => {
  const source = await deploySharded(4);
  expect(await sendMany(source.url, 0, MANY)).toEqual(new Set([200]));
  const events = await listed(source);
  expect(sorted(events.map(({ event }) => event.n))).toEqual(numbers(0, MANY));
  const positions = events.map(({ id }) => positionOf(id) ?? 0);
  expect(positions).toEqual(positions.toSorted((a, b) => b - a));
  expect(new Set(positions).size).toBe(MANY);
  expect(new Set(positions.map(laneOf))).toEqual(new Set([0, 1, 2, 3]));

  const { ada, id } = source;
  const paged: string[] = [];
  for (let query = "?limit=20"; ;) {
    const { body } = await ada.get(`/sources/${id}/event_summaries${query}`);
    expect(body.page_info.total_count).toBe(MANY);
    paged.push(...body.data.map((event: { id: string }) => event.id));
    if (body.data.length < 20) break;
    query = `?limit=20&after=${body.page_info.end_cursor}`;
  }
  expect(paged).toEqual(events.map((event) => event.id));
  const before = await ada.get(`/sources/${id}/event_summaries?limit=5&expand=event`);
  expect(before.body.data).toHaveLength(5);
});

test("errors and logs of all shards are listed together", async () => {
  const source = await deploySharded(3);
  await sendMany(source.url, 0, 30, { fail: true });
  const errors = await listed(source, "/$errors");
  expect(errors).toHaveLength(30);
  const logs = await listed(source, "/$logs");
  expect(logs.length).toBeGreaterThanOrEqual(60);
});

test("a webhook gets the events of all shards, each once", async () => {
  const source = await deploySharded(4);
  const receiver = await newReceiver({ status: 200 });
  const { body } = await source.ada.post("/webhooks", { url: receiver.url });
  const subscription = { emitter_id: source.id, listener_id: body.data.id };
  await source.ada.post("/subscriptions", subscription);
  await sendMany(source.url, 0, MANY);
  await expect.poll(receiver.received).toHaveLength(MANY);
  const received = (await receiver.received()).map(({ body: text }) => JSON.parse(text).n);
  expect(sorted(received)).toEqual(numbers(0, MANY));
});

test.for([
  ["a component with $.service.db", `props: { http: "$.interface.http", db: "$.service.db" }`, 2],
  ["a component with dedupe", `dedupe: "unique", props: { http: "$.interface.http" }`, 2],
  [
    "a component without HTTP interface",
    `props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 60 } } }`,
    2,
  ],
  ["no shard", `props: { http: "$.interface.http" }`, 0],
  ["too many shards", `props: { http: "$.interface.http" }`, 17],
  ["a part of a shard", `props: { http: "$.interface.http" }`, 1.5],
] as const)("%s is refused, by the field and its rule", async ([, definition, shards]) => {
  const ada = await signUp();
  const component_code = `export default { name: "X", version: "1", ${definition}, run() {} }`;
  const refused = await ada.post("/sources", { component_code, shards });
  expect([refused.status, refused.body.code]).toEqual([400, "invalid_input"]);
  expect(refused.body.error).toMatch(/^shards: must be (?:1 for|a whole number from 1 to 16)/);
});

test("the usage of all shards is that of the source, once", async () => {
  const source = await deploySharded(4);
  await sendMany(source.url, 0, 30);
  const used = async () => (await source.ada.get("/users/me")).body.data.daily_invocations_used;
  const reported = async () => {
    for (const shard of [1, 2, 3, 0]) await reportUsage(shardName(source.id, shard));
    return used();
  };
  await expect.poll(reported).toBe(30);
  for (const shard of [1, 2, 3]) {
    await evictDurableObject(objectOf(source.id, shard));
    await runDurableObjectAlarm(objectOf(source.id, shard));
  }
  await runDurableObjectAlarm(objectOf(source.id, 0));
  expect(await used()).toBe(30);
  // The runs may be of the hour before.
  const { body } = await source.ada.get(`/sources/${source.id}/activity?hours=2`);
  expect(JSON.stringify(body)).toContain('"runs":30');
});

test("an event of any shard can be replayed, and deleted from readers", async () => {
  const source = await deploySharded(4);
  const { ada, id } = source;
  await sendMany(source.url, 0, MANY);
  const events = await listed(source);
  const byLane = new Map(events.map((event) => [laneOf(positionOf(event.id) ?? 0), event]));
  expect(byLane.size).toBe(4);
  for (const event of byLane.values()) {
    const replayed = await ada.post(`/sources/${id}/events/${event.id}/replay`);
    expect(replayed.body.data.event).toEqual(event.event);
  }
  expect(await listed(source)).toHaveLength(MANY + 4);
  const [last, first] = [events[0]?.id, events.at(-1)?.id];
  await ada.delete(`/sources/${id}/events?start_id=${first}&end_id=${last}`);
  expect(await listed(source)).toHaveLength(4);
});

type Message = { id: string; data: { id: string; event: { n: number } } };

/** Open the stream of a source. `until` reads messages until there are those with these numbers. */
async function streamOf(
  { ada, id }: Deployed,
  headers: Record<string, string> = {},
  path = `/v1/sources/${id}/sse`,
) {
  const response = await exports.default.fetch(`${ORIGIN}${path}`, {
    headers: { authorization: `Bearer ${ada.user.api_key}`, ...headers },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  async function until(wanted: readonly number[]): Promise<Message[]> {
    for (;;) {
      const messages = text.split("\n\n").slice(0, -1).flatMap(parsed);
      const seen = new Set(messages.map(({ data }) => data.event.n));
      if (wanted.every((n) => seen.has(n))) return messages;
      const next = await reader?.read();
      if (!next || next.done) throw new Error("The stream ended");
      text += next.value;
    }
  }
  return { until, close: () => reader?.cancel(), ended: () => reader?.closed };
}

function parsed(message: string): Message[] {
  const [, id = "", data] = /^id: (.*?)\ndata: (\{.*\})$/s.exec(message) ?? [];
  return data === undefined ? [] : [{ id, data: JSON.parse(data) }];
}

const numbersIn = (messages: readonly Message[]) =>
  sorted(messages.map(({ data }) => data.event.n));

test("a stream has the events of all shards, and resumes after each message without a gap or a repetition", async () => {
  const source = await deploySharded(3);
  await sendMany(source.url, 0, 20);
  const stream = await streamOf(source);
  await sendMany(source.url, 100, 30, { text: "two\u2028lines" });
  const messages = await stream.until(numbers(100, 30));
  await stream.close();
  expect(numbersIn(messages)).toEqual(numbers(100, 30));
  await sendMany(source.url, 200, 30);
  for (const reached of [0, 15, 29]) {
    const missed = [...numbersIn(messages.slice(reached + 1)), ...numbers(200, 30)];
    const again = await streamOf(source, { "last-event-id": messages[reached]?.id ?? "" });
    expect(numbersIn(await again.until(missed))).toEqual(missed);
    await again.close();
  }
});

test("a stream resumes after an event of the list in all shards", async () => {
  const source = await deploySharded(3);
  await sendMany(source.url, 0, 20);
  const [newest] = await listed(source);
  await sendMany(source.url, 100, 30);
  const stream = await streamOf(source, { "last-event-id": newest?.id ?? "" });
  expect(numbersIn(await stream.until(numbers(100, 30)))).toEqual(numbers(100, 30));
  await stream.close();
});

test("a merged stream resumes after a message of a source with shards", async () => {
  const source = await deploySharded(2);
  const stream = await streamOf(source);
  await sendMany(source.url, 0, 10);
  const messages = await stream.until(numbers(0, 10));
  await stream.close();
  await sendMany(source.url, 100, 10);
  const last = { "last-event-id": messages.at(-1)?.id ?? "" };
  const merged = await streamOf(source, last, "/v1/users/me/sse");
  const later = (await merged.until(numbers(100, 10))).filter(({ data }) => data.event.n >= 100);
  expect(numbersIn(later)).toEqual(numbers(100, 10));
  await merged.close();
});

test("a stream ends when its source gets more shards, so that its reader resumes with them", async () => {
  const source = await deploySharded(2);
  const stream = await streamOf(source);
  await source.ada.put(`/sources/${source.id}`, { shards: 3 });
  await expect(stream.until([1])).rejects.toThrow("The stream ended");
});
