// @suites release

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { recordUsage } from "#db/usage-reports.ts";
import { type DayDeliveries, dayOf, type PayerUsage } from "#domain/billing.ts";
import { HISTORY_LENGTH } from "#domain/events.ts";
import { newId } from "#domain/ids.ts";

import { countedDatabase } from "../../tools/bench/costs/database.ts";
import { Tally } from "../../tools/bench/costs/tally.ts";
import { signUp } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { undeliveredEvents } from "../support/source-tables.ts";
import { newReceiver } from "../support/webhook.ts";
import { code, deployWorkflow, runOnce } from "../support/workflow.ts";
import { watchAllRows } from "../support/written-rows.ts";

/** Objects whose rows are counted, beside the owner's, and one event or many at once through them. */
type Path = {
  owner: DurableObjectStub;
  objects: DurableObjectStub[];
  /** Rows of this are not counted. */
  prepare?: () => Promise<void>;
  /** Resolves when all listeners have the events. */
  send: (count: number) => Promise<void>;
};

/** The pace of events, the number of rounds, and the number of events that share an alarm of their emitter, and a write of usage to D1. */
type Pace = {
  /** Events before the counted ones, whose rows those delete. */
  earlier: number;
  atOnce: number;
  perAlarm: number;
  perFlush: number;
  isQuiet: boolean;
  rounds: number;
};

/** One every fifteen seconds: objects have left memory in between, and alarms ring after half a minute. */
const QUIET: Pace = {
  earlier: 1,
  atOnce: 1,
  perAlarm: 2,
  perFlush: 20,
  isQuiet: true,
  rounds: 4,
};

/** The same, where each event is an alarm. */
const TICKS: Pace = { ...QUIET, perAlarm: Infinity };

/** One a second: an alarm rings after three to five. */
const EACH_SECOND: Pace = { ...QUIET, perAlarm: 4, perFlush: 300, isQuiet: false };

const STREAM: Pace = {
  ...QUIET,
  atOnce: 300,
  perAlarm: 1200,
  perFlush: 60_000,
  isQuiet: false,
};

/** One after the other, without pauses, of a source with a full history: an alarm rings after three to five seconds. */
const STEADY: Pace = {
  earlier: HISTORY_LENGTH,
  atOnce: 250,
  perAlarm: 250,
  perFlush: 15_000,
  isQuiet: false,
  rounds: 1,
};

/** Within this, usage is reported and the last listener acknowledged; of a workflow, its instance may be deleted. */
const SETTLED_MS = 1000;

const ECHO = `export default { name: "Echo", version: "1", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body) } }`;

const TICKING = `export default { name: "Ticking", version: "1",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 15 } } },
  run(event) { this.$emit(event) } }`;

type SourceStub = Awaited<ReturnType<typeof deploySource>>["source"];

async function deploySource(component_code: string) {
  const ada = await signUp();
  const { body } = await ada.post("/sources", { component_code });
  const source = env.SOURCES.getByName(body.data.id);
  const url = String(body.data.configured_props["http"]?.endpoint_url);
  return { ada, id: String(body.data.id), url, source, owner: env.OWNERS.getByName(ada.user.id) };
}

async function httpPath(): Promise<Path> {
  const { ada, id, url, source, owner } = await deploySource(ECHO);
  const receiver = await newReceiver({ status: 200 });
  const { body } = await ada.post("/webhooks", { url: receiver.url });
  await ada.post("/subscriptions", { emitter_id: id, listener_id: body.data.id });
  let sent = 0;
  const send = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) await sendJson(url, n);
    sent += count;
    await expect.poll(receiver.received).toHaveLength(sent);
    await expect.poll(() => undeliveredEvents(source)).toBe(0);
  };
  return { owner, objects: [source, env.WEBHOOKS.getByName(body.data.id)], send };
}

async function streamPath(): Promise<Path> {
  const { url, source, owner } = await deploySource(ECHO);
  const send = async (count: number): Promise<void> => {
    await Promise.all(Array.from({ length: count }, (_, n) => sendJson(url, n)));
    await expect.poll(() => undeliveredEvents(source)).toBe(0);
  };
  return { owner, objects: [source], send };
}

async function timerPath(): Promise<Path> {
  const { source, owner } = await deploySource(TICKING);
  await expect.poll(() => countOf(source)).toBe(1);
  const prepare = () =>
    runInDurableObject(source, (_, { storage }) => {
      const { timer } = storage.kv.get<Record<string, object>>("timers") ?? {};
      storage.kv.put("timers", { timer: { ...timer, dueMs: Date.now() } });
    });
  const send = async (): Promise<void> => {
    const before = await countOf(source);
    await runDurableObjectAlarm(source);
    await expect.poll(() => countOf(source)).toBe(before + 1);
    await expect.poll(() => undeliveredEvents(source)).toBe(0);
  };
  return { owner, objects: [source], prepare, send };
}

async function workflowPath(): Promise<Path> {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: code("return 1") }] });
  const send = async (): Promise<void> => {
    expect(await runOnce(flow)).toMatchObject({ state: "succeeded" });
  };
  return { owner: env.OWNERS.getByName(flow.user.user.id), objects: [flow.stub], send };
}

const countOf = async (stub: SourceStub) =>
  (await stub.events({ limit: 1, expand: false })).totalCount;

/** The rows that objects write meanwhile. */
async function rowsDuring(
  objects: readonly DurableObjectStub[],
  work: () => Promise<unknown>,
): Promise<string[]> {
  const written = await Promise.all(objects.map((stub) => watchAllRows(stub)));
  await work();
  // oxlint-disable-next-line wellspring/no-sleep -- Rows that nobody expects count, too: nothing shows that none follows.
  await scheduler.wait(SETTLED_MS);
  return written.flatMap((rows) => rows());
}

/** The rows of D1 when the usage of so many emitters and webhooks of an owner is written, the first of the day excepted. */
async function flushedRows(sources: number, webhooks: number): Promise<number> {
  const [payerId, day] = [newId("user"), dayOf(Date.now() / 1000)];
  const senders = Array.from({ length: webhooks }, () => newId("webhook"));
  const emitters = Array.from({ length: sources }, () => newId("source"));
  for (const id of senders)
    await env.DB.prepare(
      "INSERT INTO webhooks (id, owner_id, user_id, url, active, created_at, updated_at) VALUES (?, ?, ?, 'http://a', 1, 1, 1)",
    )
      .bind(id, payerId, payerId)
      .run();
  const usageOf = (total: number): PayerUsage => {
    const used = { invocations: total, computeMs: total, credits: total };
    const sent: DayDeliveries = { day, attempts: total, hours: { 1: [0, 0, 0, total, 0] } };
    return {
      payerId,
      emitters: emitters.map((emitterId) => ({
        emitterId,
        projectId: null,
        days: [{ day, ...used }],
      })),
      webhooks: senders.map((webhookId) => ({ webhookId, days: [sent] })),
    };
  };
  await recordUsage(connect(env.DB), usageOf(1), day);
  const tally = new Tally();
  await recordUsage(connect(countedDatabase(env.DB, tally)), usageOf(2), day);
  return tally.counts()["d1.rowsWritten"] ?? 0;
}

/** The rows of one event, those of objects and of D1, alarms, indexes and usage included. */
async function rowsOfEvent({ owner, objects, prepare, send }: Path, pace: Pace): Promise<number> {
  const [emitter, ...webhooks] = objects;
  const ring = async () => emitter && runDurableObjectAlarm(emitter);
  await prepare?.();
  const { earlier, rounds, atOnce } = pace;
  await send(earlier);
  await rowsDuring([], ring);
  let rows = 0;
  for (let round = 1; round <= rounds; round += 1) {
    if (pace.isQuiet) for (const stub of objects) await evictDurableObject(stub);
    await prepare?.();
    rows += (await rowsDuring([...objects, owner], () => send(atOnce))).length;
    if ((round * atOnce) % pace.perAlarm === 0)
      rows += (await rowsDuring([...objects, owner], ring)).length;
  }
  const flushed = await rowsDuring([owner], () => runDurableObjectAlarm(owner));
  // The alarm of the next write too.
  const ofFlush = 1 + flushed.length + (await flushedRows(1, webhooks.length));
  return rows / (rounds * atOnce) + ofFlush / pace.perFlush;
}

// On a busy machine a receiver may take longer than 50 ms, which is another row.
test.for([
  ["a quiet event of a source with one webhook", 7, QUIET, httpPath],
  ["an event of a stream with one webhook", 4, STEADY, httpPath],
  // Beside those of its listeners: of a burst, a webhook writes one or two, by the time that its receiver takes.
  ["an event of a stream in bursts", 2.5, STREAM, streamPath],
  ["a tick of a timer", 6, TICKS, timerPath],
  ["a workflow's run of one step", 8, EACH_SECOND, workflowPath],
] as const)(
  "%s is at most %d rows written",
  { timeout: 60_000, retry: 2 },
  async ([, most, pace, open]) => {
    const rows = await rowsOfEvent(await open(), pace);
    expect(rows).toBeLessThanOrEqual(most);
  },
);
