import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import type { Deployment } from "#durable-objects/source/contract.ts";

import { deploy, deploymentOf, eventsOf, sendJson } from "../support/deploy.ts";
import { linesOf } from "../support/telemetry.ts";

const COUNTING = `export default {
  dedupe: "unique",
  props: { http: "$.interface.http", db: "$.service.db" },
  run({ body }) { this.$emit(body, { id: body.id }) },
}`;

type Source = Awaited<ReturnType<typeof deploy>>;

/** Leave an event in the inbox as a crash during its run does. */
async function leaveInInbox({ stub }: Source, body: { id: number }, attempts: number) {
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec(
      "INSERT INTO inbox (event, hops, attempts) VALUES (?, 0, ?)",
      JSON.stringify({ body }),
      attempts,
    );
  });
  await evictDurableObject(stub);
}

async function inboxOf({ stub }: Source) {
  return runInDurableObject(stub, (_, { storage }) =>
    storage.sql.exec("SELECT * FROM inbox").toArray(),
  );
}

async function undeliveredOf({ stub }: Source) {
  return runInDurableObject(stub, (_, { storage }) =>
    storage.sql.exec("SELECT count(*) AS n FROM events WHERE undelivered = 1").one(),
  );
}

test("events, state and dedupe memory survive an eviction", async () => {
  const source = await deploy(COUNTING);
  await sendJson(source.url, { id: 1 });
  await expect.poll(() => undeliveredOf(source)).toEqual({ n: 0 });
  await evictDurableObject(source.stub);
  await sendJson(source.url, { id: 1 });
  await sendJson(source.url, { id: 2 });
  expect((await eventsOf(source.stub)).map(({ event }) => event)).toEqual([{ id: 2 }, { id: 1 }]);
});

test("a request to an object that crashes gets 503 with Retry-After", async () => {
  const source = await deploy(`export default {
    props: { http: { type: "$.interface.http", customResponse: true } },
    async run() { await new Promise((done) => setTimeout(done, 5000)) },
  }`);
  const lines = await linesOf("error", async () => {
    const answered = sendJson(source.url, {});
    await expect.poll(() => inboxOf(source)).toHaveLength(1);
    const death = runInDurableObject(source.stub, (_, ctx) => ctx.abort("killed"));
    await expect(death).rejects.toThrow("killed");
    const answer = await answered;
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await answer.json()).toEqual({
      error: "The event may not have been stored: send it again",
      code: "unavailable",
    });
  });
  expect(lines).toContainEqual(expect.objectContaining({ event: "endpoint_failed" }));
});

test("an object responds 503 to a call of the previous release", async () => {
  const source = await deploy(COUNTING);
  const answer = await source.stub.fetch(source.url, { method: "POST", body: "{}" });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await eventsOf(source.stub)).toEqual([]);
});

test("a stored event runs when the object restarts", async () => {
  const source = await deploy(COUNTING);
  await leaveInInbox(source, { id: 9 }, 1);
  await expect.poll(() => eventsOf(source.stub)).toMatchObject([{ event: { id: 9 } }]);
  expect(await inboxOf(source)).toEqual([]);
});

test("an event whose run crashed three times is parked as an error", async () => {
  const source = await deploy(COUNTING);
  await leaveInInbox(source, { id: 9 }, 3);
  await expect
    .poll(() => eventsOf(source.stub, "$errors"))
    .toMatchObject([
      { event: { error: { code: "RunAbandoned" }, original_event: { body: { id: 9 } } } },
    ]);
  expect(await eventsOf(source.stub)).toEqual([]);
  expect(await inboxOf(source)).toEqual([]);
});

test("an interrupted create is undone", async () => {
  const source = await deploy(COUNTING);
  await runInDurableObject(source.stub, (_, { storage }) => {
    storage.kv.put("status", { phase: "changing", active: true });
  });
  await evictDurableObject(source.stub);
  await runInDurableObject(source.stub, async (object) => object.alarm());
  expect(await source.stub.current()).toBeNull();
});

test("an interrupted update is rolled back, and the previous code is active again", async () => {
  const source = await deploy(COUNTING);
  const next = await deploymentOf(`export default { run() {} }`, {
    owner: source.deployment.ownerId,
  });
  await runInDurableObject(source.stub, (_, { storage }) => {
    const previous = storage.kv.get<Deployment>("deployment");
    storage.kv.put("previous", { deployment: previous, active: true });
    storage.kv.put("deployment", { ...next, sourceId: source.deployment.sourceId });
    storage.kv.put("status", { phase: "changing", active: true });
  });
  await evictDurableObject(source.stub);
  await runInDurableObject(source.stub, async (object) => object.alarm());
  await sendJson(source.url, { id: 3 });
  expect(await eventsOf(source.stub)).toMatchObject([{ event: { id: 3 } }]);
});

test("lost queue messages are sent again", async () => {
  const source = await deploy(COUNTING);
  await sendJson(source.url, { id: 1 });
  await runInDurableObject(source.stub, (_, { storage }) => {
    storage.sql.exec(
      `INSERT INTO events (position, channel, emit_id, undelivered, hops, meta, payload)
       VALUES (?, '', 'e', 1, 1, '{}', '1')`,
      (Date.now() - 60_000) * 1000,
    );
  });
  await runDurableObjectAlarm(source.stub);
  await expect.poll(() => undeliveredOf(source)).toEqual({ n: 0 });
});

test("removing a source during a run leaves no state", async () => {
  const source = await deploy(`export default { props: { http: "$.interface.http" },
    async run() { await new Promise((r) => setTimeout(r, 200)); this.$emit("late") } }`);
  await sendJson(source.url, {});
  await source.stub.remove();
  await scheduler.wait(300);
  expect(await eventsOf(source.stub)).toEqual([]);
  await runInDurableObject(source.stub, (_, { storage }) => {
    expect([...storage.kv.list()]).toEqual([]);
  });
});
