import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, onTestFinished, test } from "vitest";

import type { Deployment } from "#durable-objects/source/contract.ts";
import { underWay } from "#telemetry/under-way.ts";

import { deploy, deploymentOf, eventsOf, sendJson } from "../support/deploy.ts";
import {
  leaveInInbox,
  leaveUndelivered,
  undeliveredEvents,
  waitingEvents,
} from "../support/source-tables.ts";
import { linesOf } from "../support/telemetry.ts";
import { newReceiver } from "../support/webhook.ts";

const COUNTING = `export default {
  dedupe: "unique",
  props: { http: "$.interface.http", db: "$.service.db" },
  run({ body }) { this.$emit(body, { id: body.id }) },
}`;

test("events, state and dedupe memory survive an eviction", async () => {
  const source = await deploy(COUNTING);
  await sendJson(source.url, { id: 1 });
  await expect.poll(() => undeliveredEvents(source.stub)).toBe(0);
  await evictDurableObject(source.stub);
  await sendJson(source.url, { id: 1 });
  await sendJson(source.url, { id: 2 });
  expect((await eventsOf(source.stub)).map(({ event }) => event)).toEqual([{ id: 2 }, { id: 1 }]);
});

test("a request to an object that crashes gets 503 with Retry-After", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const source = await deploy(`export default {
    props: { http: { type: "$.interface.http", customResponse: true } },
    async run() { await fetch("${gate.url}", { method: "POST" }) },
  }`);
  const lines = await linesOf("error", async () => {
    const answered = sendJson(source.url, {});
    await expect.poll(() => waitingEvents(source.stub)).toBe(1);
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
  await gate.release();
});

test("an object responds 503 to a call of the previous release", async () => {
  const source = await deploy(COUNTING);
  const answer = await source.stub.fetch(source.url, { method: "POST", body: "{}" });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await eventsOf(source.stub)).toEqual([]);
});

test("a stored event runs when the object restarts", async () => {
  const source = await deploy(COUNTING);
  await leaveInInbox(source.stub, { body: { id: 9 } }, 1);
  await expect.poll(() => eventsOf(source.stub)).toMatchObject([{ event: { id: 9 } }]);
  expect(await waitingEvents(source.stub)).toBe(0);
});

test("an event whose run crashed three times is parked as an error", async () => {
  const source = await deploy(COUNTING);
  await leaveInInbox(source.stub, { body: { id: 9 } }, 3);
  await expect
    .poll(() => eventsOf(source.stub, "$errors"))
    .toMatchObject([
      { event: { error: { code: "RunAbandoned" }, original_event: { body: { id: 9 } } } },
    ]);
  expect(await eventsOf(source.stub)).toEqual([]);
  expect(await waitingEvents(source.stub)).toBe(0);
});

/** An event whose run waits for a gate, and an object that is reset in the middle of it, by each of these versions. */
async function interruptedBy(versions: readonly string[]) {
  const { VERSION } = env;
  onTestFinished(() => void Object.assign(env, { VERSION }));
  const gate = await newReceiver({ status: 200, isHeld: true });
  const source = await deploy(`export default { props: { http: "$.interface.http" },
    async run() { await fetch("${gate.url}", { method: "POST" }); this.$emit("done") } }`);
  // A stub of an object that was reset is of no use any more.
  const stub = () => env.SOURCES.getByName(source.deployment.sourceId);
  await sendJson(source.url, {});
  for (const [count, id] of versions.entries()) {
    await expect.poll(async () => (await gate.received()).length).toBe(count + 1);
    await expect.poll(() => waitingEvents(stub())).toBe(1);
    Object.assign(env, { VERSION: { ...VERSION, id } });
    const reset = runInDurableObject(stub(), (_, ctx) => ctx.abort("reset"));
    await expect(reset).rejects.toThrow("reset");
    await stub().current();
  }
  return { stub: stub(), gate };
}

/** Versions of deployments, one after the other. */
const versionsOf = (count: number) => Array.from({ length: count }, (_, n) => `release ${n}`);

test("an event that four deployments interrupt runs to its end", async () => {
  const { stub, gate } = await interruptedBy(versionsOf(4));
  await expect.poll(gate.received).toHaveLength(5);
  await gate.release();
  await expect.poll(() => eventsOf(stub)).toMatchObject([{ event: "done" }]);
  expect(await eventsOf(stub, "$errors")).toEqual([]);
});

test("an event that crashes its object three times under one version is parked", async () => {
  const { stub } = await interruptedBy(["newer", "newer", "newer", "newer"]);
  const message = expect.stringContaining("crashed its isolate or the process 3 times");
  await expect
    .poll(() => eventsOf(stub, "$errors"))
    .toMatchObject([{ event: { error: { code: "RunAbandoned", message } } }]);
});

test("an event is not started more than ten times, whatever interrupts it", async () => {
  const { stub, gate } = await interruptedBy(versionsOf(10));
  const message = expect.stringContaining("started 10 times");
  await expect
    .poll(() => eventsOf(stub, "$errors"))
    .toMatchObject([{ event: { error: { code: "RunAbandoned", message } } }]);
  expect(await gate.received()).toHaveLength(10);
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
  await leaveUndelivered(source.stub, (Date.now() - 60_000) * 1000);
  await runDurableObjectAlarm(source.stub);
  await expect.poll(() => undeliveredEvents(source.stub)).toBe(0);
});

test("removing a source during a run leaves no state", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const source = await deploy(`export default { props: { http: "$.interface.http" },
    async run() { await fetch("${gate.url}", { method: "POST" }); this.$emit("late") } }`);
  const before = underWay().runs;
  await sendJson(source.url, {});
  await expect.poll(gate.received).toHaveLength(1);
  await source.stub.remove();
  await gate.release();
  // Runs of other files may end meanwhile.
  await expect.poll(() => underWay().runs).toBeLessThanOrEqual(before);
  expect(await eventsOf(source.stub)).toEqual([]);
  await runInDurableObject(source.stub, (_, { storage }) => {
    expect([...storage.kv.list()]).toEqual([]);
  });
});
