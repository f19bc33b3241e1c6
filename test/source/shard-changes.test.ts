import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";

import { SourceObject } from "#durable-objects/source/object.ts";

import { signUp } from "../support/client.ts";
import {
  deploySharded,
  ECHO,
  listed,
  MANY,
  numbers,
  objectOf,
  rowsOf,
  sendMany,
  sorted,
  update,
} from "../support/shards.ts";
import { newReceiver } from "../support/webhook.ts";

test("new code that cannot have shards is refused while the source has them", async () => {
  const { ada, id } = await deploySharded(2);
  const component_code = ECHO.replace("props: {", `props: { db: "$.service.db",`);
  const refused = await ada.put(`/sources/${id}`, { component_code });
  expect([refused.status, refused.body.error]).toEqual([
    400,
    expect.stringMatching(/^shards: must be 1 for a component with \$\.service\.db/),
  ]);
  expect((await ada.put(`/sources/${id}`, { component_code, shards: 1 })).status).toBe(200);
});

test("a pause holds on every shard, and so does its end", async () => {
  const source = await deploySharded(4);
  await sendMany(source.url, 0, 20);
  await update(source, { active: false });
  expect(await sendMany(source.url, 100, 20)).toEqual(new Set([404]));
  expect((await update(source, { active: true })).shards).toBe(4);
  expect(await sendMany(source.url, 200, 20)).toEqual(new Set([200]));
  expect(sorted((await listed(source)).map(({ event }) => event.n))).toEqual([
    ...numbers(0, 20),
    ...numbers(200, 20),
  ]);
});

test("new code runs on every shard when its update was answered", async () => {
  const source = await deploySharded(4);
  await sendMany(source.url, 0, 10);
  await update(source, { component_code: ECHO.replace('"first"', '"second"') });
  await sendMany(source.url, 100, 40);
  await listed(source);
  const { body } = await source.ada.get(`/sources/${source.id}/event_summaries?limit=40`);
  const summaries = body.data.map((one: { metadata: { summary: string } }) => one.metadata.summary);
  expect(new Set(summaries)).toEqual(new Set(["second"]));
});

test("fewer and more shards keep every event, also those that still wait for a listener", async () => {
  const source = await deploySharded(4);
  const receiver = await newReceiver({ status: 200 });
  const webhook = await source.ada.post("/webhooks", { url: receiver.url });
  const ends = { emitter_id: source.id, listener_id: webhook.body.data.id };
  await source.ada.post("/subscriptions", ends);
  await sendMany(source.url, 0, 30);
  expect((await update(source, { shards: 1 })).shards).toBeUndefined();
  const retired = await rowsOf(source.id, 3);
  expect(await sendMany(source.url, 100, 30)).toEqual(new Set([200]));
  expect(await rowsOf(source.id, 3)).toBe(retired);
  expect(sorted((await listed(source)).map(({ event }) => event.n))).toEqual([
    ...numbers(0, 30),
    ...numbers(100, 30),
  ]);
  await update(source, { shards: 3 });
  expect(await sendMany(source.url, 200, 30)).toEqual(new Set([200]));
  const events = await listed(source);
  expect(events).toHaveLength(90);
  expect(new Set(events.map(({ id }) => id)).size).toBe(90);
  await expect.poll(receiver.received, { timeout: 20_000 }).toHaveLength(90);
});

test("a source that gets shards later keeps its history and its ids", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/sources", { component_code: ECHO });
  const { id } = body.data;
  const url = String(body.data.configured_props["http"]?.endpoint_url);
  await sendMany(url, 0, 20);
  const old = await listed({ ada, id });
  await update({ ada, id }, { shards: 2 });
  await sendMany(url, 100, 20);
  const events = await listed({ ada, id });
  expect(events.slice(20)).toEqual(old);
  expect(new Set(events.map((event) => event.id)).size).toBe(40);
  for (const { id: event } of [...old.slice(0, 3), ...events.slice(0, 3)])
    expect((await ada.get(`/sources/${id}/events/${event}`)).status).toBe(200);
});

test("a deleted source leaves nothing on any shard, also on former ones", async () => {
  const source = await deploySharded(4);
  await sendMany(source.url, 0, MANY);
  await update(source, { shards: 2 });
  expect(await rowsOf(source.id, 3)).toBeGreaterThan(0);
  expect((await source.ada.delete(`/sources/${source.id}`)).status).toBe(204);
  for (const shard of [0, 1, 2, 3]) expect(await rowsOf(source.id, shard)).toBeUndefined();
  expect(await sendMany(source.url, 100, 10)).toEqual(new Set([404]));
});

test("hooks run once, on the source's own object", async () => {
  const source = await deploySharded(
    3,
    ECHO.replace("run(", `hooks: { async activate() { console.log("activated") } }, run(`),
  );
  await update(source, { active: false });
  await update(source, { active: true });
  const logs = await source.ada.get(`/sources/${source.id}/$logs/event_summaries`);
  expect(logs.body.data).toHaveLength(2);
});

test("acknowledged events of a shard that crashes run after it wakes", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const waits = `await fetch("${gate.url}", { method: "POST" });`;
  const held = ECHO.replace("run({ body }) {", `async run({ body }) { ${waits}`);
  const source = await deploySharded(2, held);
  expect(await sendMany(source.url, 0, 20)).toEqual(new Set([200]));
  for (const shard of [0, 1]) {
    const death = runInDurableObject(objectOf(source.id, shard), (_, ctx) => ctx.abort("killed"));
    await expect(death).rejects.toThrow("killed");
  }
  const all = async () => sorted((await listed(source)).map(({ event }) => event.n));
  await gate.release();
  // The alarm wakes them.
  for (const shard of [0, 1]) await runDurableObjectAlarm(objectOf(source.id, shard));
  await expect.poll(all).toEqual(numbers(0, 20));
});

test("a shard that a change did not reach gets it from the alarm", async () => {
  const source = await deploySharded(2);
  await runInDurableObject(objectOf(source.id, 1), (_, { storage }) => {
    storage.kv.put("status", { phase: "settled", active: false });
  });
  await evictDurableObject(objectOf(source.id, 1));
  await runInDurableObject(objectOf(source.id, 0), (_, { storage }) => {
    const { deployed: _deployed, ...kept } = storage.kv.get<{ deployed: string }>("shards") ?? {};
    storage.kv.put("shards", kept);
    return storage.setAlarm(Date.now() + 60_000);
  });
  await evictDurableObject(objectOf(source.id, 0));
  // Its requests go to the source's own object meanwhile.
  expect(await sendMany(source.url, 0, 20)).toEqual(new Set([200]));
  expect(await rowsOf(source.id, 1)).toBe(0);
  await runDurableObjectAlarm(objectOf(source.id, 0));
  await sendMany(source.url, 100, 30);
  expect(await rowsOf(source.id, 1)).toBeGreaterThan(0);
  expect(await listed(source)).toHaveLength(50);
});

test("a pause is no success while a shard cannot be reached, and holds once its request succeeds", async () => {
  const source = await deploySharded(2);
  const lost = vi.spyOn(SourceObject.prototype, "follow").mockRejectedValue(new Error("Lost"));
  const refused = await source.ada.put(`/sources/${source.id}`, { active: false });
  lost.mockRestore();
  expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
    429,
    "overloaded",
    "1",
  ]);
  await update(source, { active: false });
  expect(await sendMany(source.url, 100, 20)).toEqual(new Set([404]));
});
