// @suites loader

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { Id } from "#domain/ids.ts";

import { operator, signUp } from "../support/client.ts";
import { stopClock } from "../support/clock.ts";
import { sendJson } from "../support/deploy.ts";
import { storedEvents, waitingEvents } from "../support/source-tables.ts";
import { newReceiver } from "../support/webhook.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

const EMITTING = `export default { name: "Emitting", version: "1", props: { http: "$.interface.http" },
  async run({ body }) {
    if (body.gate) await fetch(body.gate, { method: "POST" });
    this.$emit(body);
  } }`;

async function deploy(client: Client, code = EMITTING) {
  const { body } = await client.post("/sources", { component_code: code });
  const id = body.data.id as Id<"source">;
  const url: string = body.data.configured_props["http"].endpoint_url;
  return { url, stub: env.SOURCES.getByName(id) };
}

const setQuotas = ({ user }: Client, quotas: object) =>
  operator.put(`/users/${user.id}/quotas`, quotas);

const computeOf = async (client: Client) =>
  (await client.get("/users/me")).body.data.daily_compute_time_used as number;

/** Send an event whose run takes this long by a stopped clock, and wait until it is committed. */
async function runFor(
  source: Awaited<ReturnType<typeof deploy>>,
  ms: number,
  clock: ReturnType<typeof stopClock>,
): Promise<void> {
  const before = await storedEvents(source.stub);
  const gate = await newReceiver({ status: 204, isHeld: true });
  const answer = sendJson(source.url, { gate: gate.url });
  await expect.poll(gate.received).toHaveLength(1);
  clock.advance(ms);
  await gate.release();
  expect(await answer).toMatchObject({ status: 200 });
  await expect.poll(() => storedEvents(source.stub)).toBe((before ?? 0) + 1);
}

test("a source runs nothing more once its own runs have used up a quota of compute", async () => {
  const ada = await signUp();
  const clock = stopClock();
  const source = await deploy(ada);
  await setQuotas(ada, { daily_compute_time_quota: (await computeOf(ada)) + 500 });
  for (let n = 0; n < 5; n += 1) await runFor(source, 100, clock);
  expect(await sendJson(source.url, {})).toMatchObject({ status: 429 });
  expect(await computeOf(ada)).toBeLessThan(600);
});

test.for([
  ["daily_invocations_quota", 2],
  ["daily_compute_time_quota", 600],
] as const)(
  "another source of the owner enforces a used-up %s a second later",
  async ([quota, room]) => {
    const ada = await signUp();
    const clock = stopClock();
    const [first, second] = [await deploy(ada), await deploy(ada)];
    const { data } = (await ada.get("/users/me")).body;
    await setQuotas(ada, { [quota]: data[quota.replace("quota", "used")] + room });
    await runFor(second, 0, clock);
    await runFor(first, 700, clock);
    await expect.poll(() => computeOf(ada)).toBeGreaterThanOrEqual(700);
    clock.advance(300);
    expect(await sendJson(second.url, {})).toMatchObject({ status: 429 });
  },
);

test("events that wait for a source with state do not run once one of them has used up the compute", async () => {
  const ada = await signUp();
  const clock = stopClock();
  const source = await deploy(ada, EMITTING.replace("props: {", 'props: { db: "$.service.db",'));
  await setQuotas(ada, { daily_compute_time_quota: 60_000 });
  const [first, second] = [
    await newReceiver({ status: 204, isHeld: true }),
    await newReceiver({ status: 204, isHeld: true }),
  ];
  const answers = [sendJson(source.url, { gate: first.url })];
  await expect.poll(first.received).toHaveLength(1);
  for (let n = 0; n < 2; n += 1) answers.push(sendJson(source.url, { gate: second.url }));
  const stored = () => {
    // An event is in the inbox once its run does not end in time.
    clock.advance(20);
    return waitingEvents(source.stub);
  };
  await expect.poll(stored).toBe(3);
  for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
  await first.release();
  await expect.poll(second.received).toHaveLength(1);
  clock.advance(60_000);
  await second.release();
  await expect.poll(() => storedEvents(source.stub)).toBe(2);
  await runDurableObjectAlarm(source.stub);
  expect([await storedEvents(source.stub), await waitingEvents(source.stub)]).toEqual([2, 1]);

  await setQuotas(ada, { daily_compute_time_quota: null });
  await expect.poll(() => storedEvents(source.stub)).toBe(3);
});
