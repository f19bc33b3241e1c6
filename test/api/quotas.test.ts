// @suites loader

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, onTestFinished, test, vi } from "vitest";

import { endOfDay } from "#domain/billing.ts";
import { type Id, newId } from "#domain/ids.ts";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { runsCommitted } from "../support/source-tables.ts";
import { newReceiver } from "../support/webhook.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

const EMITTING = `export default { name: "Emitting", version: "1", props: { http: "$.interface.http" },
  async run({ body }) {
    if (body.gate) await fetch(body.gate, { method: "POST" });
    if (body.waitMs) await new Promise((done) => setTimeout(done, body.waitMs));
    this.$emit(body);
  } }`;

const HEARING = `export default { name: "Hearing", version: "1", run(event) { this.$emit(event) } }`;

async function deploy(client: Client, code = EMITTING, more: object = {}) {
  const { body } = await client.post("/sources", { component_code: code, ...more });
  const id = body.data.id as Id<"source">;
  const url = body.data.configured_props["http"]?.endpoint_url as string;
  return { id, url, stub: env.SOURCES.getByName(id) };
}

const setQuotas = ({ user }: Client, quotas: object) =>
  operator.put(`/users/${user.id}/quotas`, quotas);

const computeOf = async (client: Client) =>
  (await client.get("/users/me")).body.data.daily_compute_time_used as number;

const countOf = async (client: Client, id: string, channel = "") =>
  (await client.get(`/sources/${id}/event_summaries?event_name=${channel}`)).body.page_info
    .total_count as number;

test("the user sees a daily quota that an operator sets, and the operator can remove it", async () => {
  const ada = await signUp();
  const set = { daily_invocations_quota: 100, daily_compute_time_quota: 60_000 };
  expect(await setQuotas(ada, set)).toMatchObject({
    status: 200,
    body: { data: { ...set, daily_credits_quota: Number.MAX_SAFE_INTEGER } },
  });
  expect((await ada.get("/users/me")).body.data).toMatchObject(set);
  expect((await setQuotas(ada, { daily_credits_quota: 5 })).body.data).toEqual({
    ...set,
    daily_credits_quota: 5,
    storage_quota: Number.MAX_SAFE_INTEGER,
  });
  const lifted = { daily_invocations_quota: null, daily_compute_time_quota: 0 };
  expect((await setQuotas(ada, lifted)).body.data).toEqual({
    daily_invocations_quota: Number.MAX_SAFE_INTEGER,
    daily_compute_time_quota: Number.MAX_SAFE_INTEGER,
    daily_credits_quota: 5,
    storage_quota: Number.MAX_SAFE_INTEGER,
  });

  const workspace = await workspaceOf(ada);
  await operator.put(`/workspaces/${workspace}/quotas?daily_credits_quota=7`);
  const shown = { daily_credits_quota: 7, daily_credits_used: 0 };
  expect((await ada.get(`/workspaces/${workspace}`)).body.data).toMatchObject(shown);
  expect((await ada.get("/users/me")).body.data.orgs).toMatchObject([shown]);
});

test.for([-1, 1.5, "many", true, 2 ** 60])("a quota of %j is refused", async (quota) => {
  const ada = await signUp();
  expect(await setQuotas(ada, { daily_credits_quota: quota })).toMatchObject({
    status: 400,
    body: { details: { issues: [{ path: "daily_credits_quota" }] } },
  });
});

test("setting quotas of a missing user or workspace is 404", async () => {
  for (const path of [`/users/${newId("user")}`, `/workspaces/${newId("workspace")}`])
    expect(await operator.put(`${path}/quotas`, { daily_credits_quota: 1 })).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
});

test.for(["daily_invocations_quota", "daily_credits_quota"])(
  "of many events at once, as many run as the %s allows, and the rest is rejected",
  async (quota) => {
    const ada = await signUp();
    await setQuotas(ada, { [quota]: 5 });
    const source = await deploy(ada);
    const gate = await newReceiver({ status: 204, isHeld: true });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => sendJson(source.url, { gate: gate.url })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    await gate.release();
    await expect.poll(() => countOf(ada, source.id)).toBe(5);

    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"] });
    const refused = await sendJson(source.url, {});
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({
      error: `The event was not accepted: the owner's ${quota.replaceAll("_", " ")} is used up until midnight UTC`,
      code: "quota_exceeded",
    });
    const midnight = endOfDay(Date.now() / 1000);
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      "x-ratelimit-limit": "5",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(midnight),
    });
    const seconds = Math.ceil(midnight - Date.now() / 1000);
    expect(refused.headers.get("retry-after")).toBe(String(seconds));
  },
);

test("earlier runs use up a quota of compute", async () => {
  const ada = await signUp();
  const source = await deploy(ada);
  await setQuotas(ada, { daily_compute_time_quota: (await computeOf(ada)) + 100 });
  await sendJson(source.url, { waitMs: 150 });
  await expect.poll(() => countOf(ada, source.id)).toBe(1);
  await runDurableObjectAlarm(source.stub);
  expect(await sendJson(source.url, {})).toMatchObject({ status: 429 });
});

test("a quota that is set, raised or removed applies at once to existing sources", async () => {
  const ada = await signUp();
  const source = await deploy(ada);
  for (let n = 0; n < 3; n += 1) await sendJson(source.url, {});
  await setQuotas(ada, { daily_invocations_quota: 2 });
  expect(await sendJson(source.url, {})).toMatchObject({ status: 429 });
  await setQuotas(ada, { daily_invocations_quota: 4 });
  expect(await sendJson(source.url, {})).toMatchObject({ status: 200 });
  expect(await sendJson(source.url, {})).toMatchObject({ status: 429 });
  await setQuotas(ada, { daily_invocations_quota: null });
  expect(await sendJson(source.url, {})).toMatchObject({ status: 200 });
});

test("the sources of a workspace share its quotas, not those of its members", async () => {
  const ada = await signUp();
  const workspace = await workspaceOf(ada);
  await operator.put(`/workspaces/${workspace}/quotas`, { daily_invocations_quota: 2 });
  const [first, second] = [
    await deploy(ada, EMITTING, { workspace_id: workspace }),
    await deploy(ada, EMITTING, { workspace_id: workspace }),
  ];
  for (let n = 0; n < 2; n += 1) await sendJson(first.url, {});
  await runsCommitted(first.id);
  await runDurableObjectAlarm(first.stub);
  // Within seconds, or at once for an object that has just restarted.
  await evictDurableObject(second.stub);
  expect(await sendJson(second.url, {})).toMatchObject({ status: 429 });
  expect(await sendJson((await deploy(ada)).url, {})).toMatchObject({ status: 200 });
  expect((await ada.get(`/workspaces/${workspace}`)).body.data).toMatchObject({
    daily_credits_used: 2,
  });
});

test("a tick while a quota is used up is skipped and recorded", async () => {
  const ada = await signUp();
  await setQuotas(ada, { daily_invocations_quota: 1 });
  const { id, stub } = await deploy(
    ada,
    `export default { name: "Tick", version: "1", props: { timer: "$.interface.timer" }, run(e) { this.$emit(e) } }`,
    { configured_props: { timer: { interval_seconds: 60 } } },
  );
  await expect.poll(() => countOf(ada, id)).toBe(1);
  await runInDurableObject(stub, (_, { storage }) => {
    const timers = storage.kv.get<Record<string, { dueMs: number }>>("timers") ?? {};
    for (const timer of Object.values(timers)) timer.dueMs = Date.now();
    storage.kv.put("timers", timers);
  });
  await runDurableObjectAlarm(stub);
  expect(await countOf(ada, id)).toBe(1);
  const { body } = await ada.get(`/sources/${id}/$logs/event_summaries?expand=event`);
  expect(body.data).toMatchObject([
    { event: { message: expect.stringMatching(/skipped: the owner's daily invocations quota/) } },
  ]);
});

test("deliveries wait while a quota is used up, survive an eviction, and run when it is raised", async () => {
  const ada = await signUp();
  const [source, listener] = [await deploy(ada), await deploy(ada, HEARING)];
  await sendJson(source.url, {});
  await runsCommitted(source.id);
  await runDurableObjectAlarm(source.stub);
  await setQuotas(ada, { daily_invocations_quota: 1 });

  const deliveries = [1, 2].map((n) => ({
    position: Date.now() * 1000 + n,
    eventId: `${Date.now()}-${n}`,
    emitterId: source.id,
    emitId: `emit-${n}`,
    channel: "",
    payload: JSON.stringify({ n }),
    hops: 1,
  }));
  expect(await listener.stub.receive(deliveries)).toBe(true);
  await evictDurableObject(listener.stub);
  expect(await listener.stub.receive(deliveries)).toBe(true);
  await runDurableObjectAlarm(listener.stub);
  expect(await countOf(ada, listener.id)).toBe(0);

  await setQuotas(ada, { daily_invocations_quota: 10 });
  await expect.poll(() => countOf(ada, listener.id)).toBe(2);
  await runDurableObjectAlarm(listener.stub);
  expect((await ada.get("/users/me")).body.data.daily_invocations_used).toBe(3);
});

test("quotas reset at midnight UTC", async () => {
  const ada = await signUp();
  await setQuotas(ada, { daily_invocations_quota: 1 });
  const source = await deploy(ada);
  await sendJson(source.url, {});
  expect(await sendJson(source.url, {})).toMatchObject({ status: 429 });
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"], now: (endOfDay(Date.now() / 1000) + 1) * 1000 });
  expect(await sendJson(source.url, {})).toMatchObject({ status: 200 });
  expect(await sendJson(source.url, {})).toMatchObject({ status: 429 });
});
