// @suites release
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { MAX_HISTORY_BYTES } from "#domain/events.ts";
import { MAX_WAITING_BYTES } from "#durable-objects/emitter/outbox-backlog.ts";

import { deploy, eventsOf, send, sendJson } from "../support/deploy.ts";
import { storeEvents, undeliveredEvents, waitingEvents } from "../support/source-tables.ts";

const ECHO = `export default {
  props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body, { name: body.name ?? "", delivery_ts: body.deliveryTs }); },
}`;

const MEGABYTE = 2 ** 20;
const large = JSON.stringify("x".repeat(1_700_000));

type Source = Awaited<ReturnType<typeof deploy>>;

const storedBytes = ({ stub }: Source) =>
  runInDurableObject(stub, (_, { storage }) => storage.sql.databaseSize);

test("of too many bytes of events, each channel keeps its newest ones", async () => {
  const source = await deploy(ECHO);
  await storeEvents(
    source.stub,
    Array.from({ length: 50 }, () => large),
  );
  await storeEvents(source.stub, [large, "1"], { channel: "quiet" });
  await evictDurableObject(source.stub);
  expect(await storedBytes(source)).toBeGreaterThan(MAX_HISTORY_BYTES + 16 * MEGABYTE);
  await sendJson(source.url, { n: 1 });
  await sendJson(source.url, { n: 2 });
  await expect.poll(() => undeliveredEvents(source.stub)).toBe(0);
  await expect.poll(() => storedBytes(source)).toBeLessThan(MAX_HISTORY_BYTES + 4 * MEGABYTE);
  expect(await source.stub.events({ limit: 1, channel: "quiet", expand: false })).toMatchObject({
    totalCount: 2,
    isCut: false,
  });
  const page = await source.stub.events({ limit: 2, channel: "", expand: true });
  expect(page.events.map(({ payload }) => payload)).toEqual([`{"n":2}`, `{"n":1}`]);
  expect(page.isCut).toBe(true);
  expect(page.totalCount).toBeGreaterThan(30);
});

test("a dropped event is still known to dedupe", async () => {
  const source = await deploy(`export default {
    dedupe: "unique",
    props: { http: "$.interface.http" },
    run({ body }) { for (const id of body) this.$emit("x".repeat(1e6), { id }); },
  }`);
  for (let first = 0; first < 96; first += 12)
    await sendJson(
      source.url,
      Array.from({ length: 12 }, (_, n) => first + n),
    );
  await expect.poll(() => undeliveredEvents(source.stub)).toBe(0);
  await sendJson(source.url, [0, 96]);
  await expect.poll(() => storedBytes(source)).toBeLessThan(MAX_HISTORY_BYTES + 16 * MEGABYTE);
  const { events, totalCount } = await source.stub.events({ limit: 1, channel: "", expand: false });
  expect(events).toMatchObject([{ meta: { id: "96" } }]);
  expect(totalCount).toBeLessThan(70);
});

test("runs wait while the events of a source wait for their listeners, and lose nothing", async () => {
  const source = await deploy(ECHO);
  const count = Math.ceil(MAX_WAITING_BYTES / large.length) + 1;
  await storeEvents(
    source.stub,
    Array.from({ length: count }, () => large),
    { isUndelivered: true },
  );
  await evictDurableObject(source.stub);
  expect((await sendJson(source.url, { n: 1 })).status).toBe(200);
  expect(await waitingEvents(source.stub)).toBe(1);
  await source.stub.recover();
  await expect.poll(() => undeliveredEvents(source.stub), { timeout: 30_000 }).toBe(0);
  await source.stub.recover();
  const [newest] = await eventsOf(source.stub, "");
  expect(newest?.event).toEqual({ n: 1 });
});

test("a delayed event is refused while too many bytes are delayed", async () => {
  const source = await deploy(ECHO);
  const deliveryTs = Date.now() + 1e6;
  const count = Math.ceil(MAX_WAITING_BYTES / large.length) + 1;
  await storeEvents(
    source.stub,
    Array.from({ length: count }, () => large),
    { channel: "$in" },
  );
  await runInDurableObject(source.stub, (_, { storage }) => {
    storage.sql.exec("UPDATE events SET due_ms = ?, target = ''", deliveryTs);
  });
  await evictDurableObject(source.stub);
  await send(source.url, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ n: 1, deliveryTs }),
  });
  await sendJson(source.url, { n: 2 });
  const [error] = await eventsOf(source.stub, "$errors");
  expect(error?.event).toMatchObject({
    error: { message: expect.stringContaining("delivery_ts may take at most 128 MB") as string },
  });
  expect((await eventsOf(source.stub, "")).map(({ event }) => event)).toEqual([{ n: 2 }]);
});
