import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { operator, signUp } from "../support/client.ts";
import { TIMER_SOURCE } from "../support/source-code.ts";
import { leaveInInbox } from "../support/source-tables.ts";
import { newReceiver } from "../support/webhook.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

const RUNNING = `export default {
  name: "Running", version: "1", dedupe: "unique",
  props: { http: { type: "$.interface.http", customResponse: true }, db: "$.service.db" },
  async run(event) {
    console.log("woken by", event.method ?? event.say);
    if (event.gate) await fetch(event.gate, { method: "POST" });
    if (event.fail) throw new RangeError(event.fail);
    this.http.respond({ status: 201, body: { ok: true } });
    this.$emit(event, { id: event.say, summary: "said " + event.say, name: event.name });
    if (event.later) this.$emit("later", { id: "later", delivery_ts: Date.now() + 60000 });
  },
};`;

async function deploy(ada: Client, component_code = RUNNING, rest: object = {}) {
  const { body } = await ada.post("/sources", { component_code, ...rest });
  const { id } = body.data as { id: `dc_${string}` };
  const run = (order: object = {}) => ada.post(`/sources/${id}/run`, order);
  const events = async (channel = "") => {
    const answer = await ada.get(`/sources/${id}/event_summaries?expand=event${channel}`);
    return answer.body.data.map(({ event }: { event: unknown }) => event);
  };
  return { id, run, events };
}

test("accepts a run with its id, and its log lines have that id", async () => {
  const ada = await signUp();
  const { id, run, events } = await deploy(ada);
  const answer = await run({ event: { say: "hello" } });
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.body.data).toEqual({
    run_id: expect.any(String),
    source_id: id,
    state: "accepted",
  });
  await expect.poll(() => events()).toEqual([{ say: "hello" }]);
  expect(await events("&event_name=$logs")).toMatchObject([
    { message: "woken by hello", run_id: answer.body.data.run_id },
  ]);
});

test("a waiting caller gets the run's events, logs and response", async () => {
  const ada = await signUp();
  const { id, run, events } = await deploy(ada);
  const { data } = (await run({ event: { say: 1, name: "orders", later: true }, wait: 10 })).body;
  expect(data).toMatchObject({
    source_id: id,
    state: "finished",
    events: [
      {
        event: { say: 1 },
        metadata: { name: "orders", emitter_id: id, id: "1", summary: "said 1" },
      },
      { event: "later", metadata: { name: "$in" } },
    ],
    logs: [{ level: "info", message: "woken by 1", run_id: data.run_id, ts: expect.any(Number) }],
    errors: [],
    response: { status: 201, body: '{"ok":true}' },
  });
  expect(await events()).toEqual([{ say: 1, name: "orders", later: true }]);
  // Its events are deduplicated as those of any other run.
  expect((await run({ event: { say: 1 }, wait: 10 })).body.data).toMatchObject({
    state: "finished",
    events: [],
  });
});

test("reports a run that throws as failed, with the error", async () => {
  const { run } = await deploy(await signUp());
  const { data } = (await run({ event: { fail: "no" }, wait: 10 })).body;
  expect(data).toMatchObject({
    state: "failed",
    events: [],
    errors: [{ code: "RangeError", message: "no" }],
    logs: [{ level: "info" }, { level: "error", run_id: data.run_id }],
  });
});

test("reports a run that outlasts its caller's wait as running, and completes it", async () => {
  const gate = await newReceiver({ status: 204, isHeld: true });
  const [patient, hasty] = [await deploy(await signUp()), await deploy(await signUp())];
  const event = { say: "slow", gate: gate.url };
  const returned: [number, unknown][] = [];
  const runFor = async (wait: number, { run }: typeof hasty) => {
    const { data } = (await run({ event, wait })).body;
    returned.push([wait, data]);
  };
  await Promise.all([runFor(2, patient), runFor(1, hasty)]);
  const running = { run_id: expect.any(String), source_id: expect.any(String), state: "running" };
  expect(returned.toSorted(([a], [b]) => a - b)).toEqual([
    [1, running],
    [2, running],
  ]);
  await gate.release();
  await expect.poll(() => hasty.events()).toMatchObject([{ say: "slow" }]);
});

test("without an event, a source is woken as by its next trigger", async () => {
  const ada = await signUp();
  const http = await deploy(ada);
  const [woken] = (await http.run({ wait: 10 })).body.data.errors;
  // The event has no id, so its emit fails; only the received event matters here.
  expect(woken).toMatchObject({ code: "DedupeError" });
  expect((await http.run({ wait: 10 })).body.data.logs).toMatchObject([
    { message: "woken by GET" },
  ]);
  const timer = await deploy(ada, TIMER_SOURCE);
  expect((await timer.run({ wait: 10 })).body.data.events).toMatchObject([
    { event: { timestamp: expect.any(Number), interval_seconds: 900 } },
  ]);
  const quiet = await deploy(
    ada,
    `export default { name: "q", version: "1", run(event) { this.$emit(event); } }`,
  );
  expect((await quiet.run({ wait: 10 })).body.data.events).toMatchObject([{ event: {} }]);
  expect((await quiet.run({ event: null, wait: 10 })).body.data.events).toMatchObject([
    { event: null },
  ]);
});

test("a source without run emits the event itself", async () => {
  const ada = await signUp();
  const { run } = await deploy(ada, `export default { name: "n", version: "1" }`);
  expect((await run({ event: [1, "a"], wait: 10 })).body.data).toMatchObject({
    state: "finished",
    events: [{ event: [1, "a"] }],
  });
});

test("does not run an inactive source or another owner's source", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const { id, run, events } = await deploy(ada);
  expect(await eve.post(`/sources/${id}/run`, {})).toMatchObject({ status: 404 });
  await ada.put(`/sources/${id}`, { active: false });
  expect(await run({ event: { say: 1 } })).toMatchObject({
    status: 409,
    body: { code: "conflict", error: expect.stringContaining("inactive") },
  });
  expect(await events()).toEqual([]);
});

test.for([
  [{ event: "x".repeat(512 * 1024) }, 413, /event: .*512 KB/],
  [{ wait: 31 }, 400, /wait/],
  [{ wait: -1 }, 400, /wait/],
  [{ wait: "soon" }, 400, /wait/],
] as const)("rejects an invalid run request %#", async ([order, status, error]) => {
  const { run } = await deploy(await signUp());
  expect(await run(order)).toMatchObject({ status, body: { error: expect.stringMatching(error) } });
});

test("a run counts against the owner's quotas", async () => {
  const ada = await signUp();
  const { run } = await deploy(ada);
  await operator.put(`/users/${ada.user.id}/quotas`, { daily_invocations_quota: 1 });
  expect(await run({ event: { say: 1 }, wait: 10 })).toMatchObject({ status: 200 });
  const refused = await run({ event: { say: 2 } });
  expect(refused).toMatchObject({
    status: 429,
    body: { code: "quota_exceeded", error: expect.stringContaining("daily invocations quota") },
  });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("an accepted run survives an eviction, with its id", async () => {
  const ada = await signUp();
  const { id, events } = await deploy(ada);
  const stub = env.SOURCES.getByName(id);
  await leaveInInbox(stub, { say: "kept" }, 1, "kept");
  await expect.poll(() => events()).toEqual([{ say: "kept" }]);
  expect(await events("&event_name=$logs")).toMatchObject([{ run_id: "kept" }]);
});
