import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { operator, signUp } from "../support/client.ts";
import { deploy, sendJson } from "../support/deploy.ts";
import { type Line, linesOf } from "../support/telemetry.ts";
import { newReceiver } from "../support/webhook.ts";

const RELAY = `export default { name: "Relay", version: "1", props: { http: "$.interface.http" },
  run(event) { this.$emit({ relayed: event.body ?? event }) } }`;

const LISTENER = `export default { name: "Listener", version: "1", run(event) { this.$emit({ received: event }) } }`;

type Client = Awaited<ReturnType<typeof signUp>>;

async function newSource(client: Client, code: string) {
  const { body } = await client.post("/sources", { component_code: code });
  const { id, configured_props: props } = body.data;
  return { id: String(id), url: String(props.http?.endpoint_url) };
}

const subscribe = (client: Client, emitter_id: string, listener_id: string) =>
  client.post("/subscriptions", { emitter_id, listener_id });

/** The lines about one request, after at least `length` of them. */
async function way(work: () => Promise<string | null>, length: number): Promise<Line[]> {
  let requestId: string | null = null;
  const lines: Line[] = [];
  const about = () => lines.filter(({ request_id }) => request_id === requestId);
  await linesOf(
    "debug",
    async () => {
      requestId = await work();
      await expect.poll(() => about().length).toBeGreaterThanOrEqual(length);
    },
    lines,
  );
  return about();
}

test("an event's log lines have its request's id, from the request to the webhook", async () => {
  const ada = await signUp();
  const relay = await newSource(ada, RELAY);
  const listener = await newSource(ada, LISTENER);
  const receiver = await newReceiver({ status: 200 });
  const { body } = await ada.post("/webhooks", { url: receiver.url });
  await subscribe(ada, relay.id, listener.id);
  await subscribe(ada, listener.id, body.data.id);

  const lines = await way(async () => {
    const answer = await sendJson(relay.url, { n: 1 });
    return answer.headers.get("x-request-id");
  }, 5);
  const owner_id = ada.user.id;
  const [relayed, ...others] = lines;
  const common = { owner_id, outcome: "succeeded" };
  expect(relayed).toMatchObject({
    event: "run_ended",
    source_id: relay.id,
    trigger: "http",
    ...common,
  });
  const hops = [
    { event: "event_handed_over", emitter_id: relay.id, listener_id: listener.id },
    { event: "run_ended", source_id: listener.id, trigger: "event", ...common },
    { event: "event_handed_over", emitter_id: listener.id, listener_id: body.data.id },
    { event: "delivery_attempted", emitter_id: listener.id, webhook_id: body.data.id },
  ];
  // A hop is logged at its end, when the next may have ended already.
  expect(others).toHaveLength(hops.length);
  for (const hop of hops) expect(others).toContainEqual(expect.objectContaining(hop));
  for (const line of lines.filter(({ event }) => event === "run_ended"))
    expect(line).toMatchObject({
      run_id: expect.any(String),
      duration_ms: expect.any(Number),
      compute_ms: expect.any(Number),
    });
  // The webhook's request has the ids of the last line.
  const [got] = await receiver.received();
  expect(lines.find(({ event }) => event === "delivery_attempted")).toMatchObject({
    emit_id: got?.headers["webhook-id"],
    event_id: got?.headers["x-wellspring-event-id"],
    status: "2xx",
    attempt: 1,
  });
});

test("a run through the API has the id of its request", async () => {
  const ada = await signUp();
  const { id } = await newSource(ada, LISTENER);
  const lines = await way(async () => {
    const answer = await ada.post(`/sources/${id}/run`, { event: 1, wait_seconds: 5 });
    expect(answer.status).toBe(200);
    return answer.headers.get("x-request-id");
  }, 2);
  const names = lines.map(({ event, source_id, route }) => [event, source_id ?? route]);
  expect(names).toContainEqual(["run_ended", id]);
  expect(names).toContainEqual(["request", "/v1/sources/:id/run"]);
});

test("a run of a workflow has the id of the request that woke it", async () => {
  const ada = await signUp();
  const code = `export default { name: "Step", version: "1", type: "action", run({ $ }) { $.export("n", 1) } }`;
  const deployedWorkflow = await operator.post("/workflows", {
    owner_id: ada.user.id,
    name: "step",
    trigger: { type: "http" },
    steps: [{ name: "step", component_code: code }],
    active: true,
  });
  const { id, trigger } = deployedWorkflow.body.data;
  const lines = await way(async () => {
    const answer = await sendJson(trigger.endpoint_url, {});
    return answer.headers.get("x-request-id");
  }, 1);
  expect(lines).toMatchObject([
    { event: "run_ended", workflow_id: id, trigger: "http", outcome: "succeeded" },
  ]);
});

test("the id survives an eviction", async () => {
  const source = await deploy(RELAY);
  const requestId = crypto.randomUUID();
  const stub = source.stub;
  const lines = await linesOf("debug", async () => {
    await stub.run({ event: `{"a":1}`, waitMs: 0, requestId });
    await evictDurableObject(stub);
    await expect
      .poll(async () => (await stub.events({ limit: 1, expand: false })).totalCount)
      .toBe(1);
  });
  expect(lines.filter(({ event }) => event === "run_ended")).toMatchObject([
    { request_id: requestId },
  ]);
  const position =
    Number((await stub.events({ limit: 1, expand: false })).events[0]?.id.split("-")[0]) * 1000;
  const positions = Array.from({ length: 1000 }, (_, n) => position + n);
  expect((await stub.claim(positions))?.events).toMatchObject([{ requestId }]);
});

test("every tick has its own id", async () => {
  const lines: Line[] = [];
  await linesOf(
    "debug",
    async () => {
      const source = await deploy(
        `export default { props: { timer: "$.interface.timer" }, run(event) { this.$emit(event) } }`,
        { props: { timer: { cron: null, interval_seconds: 60 } } },
      );
      await runDurableObjectAlarm(source.stub);
      await expect
        .poll(() => lines.some(({ source_id }) => source_id === source.deployment.sourceId))
        .toBe(true);
    },
    lines,
  );
  expect(lines.find(({ event }) => event === "run_ended")).toMatchObject({
    trigger: "timer",
    request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

test("a sample of events is logged at the default level, each with its whole path", async () => {
  const source = await deploy(RELAY);
  const stub = source.stub;
  const countWith = async (rate: string, requestId: string, name = "TRACE_SAMPLE_RATE") => {
    const before = Reflect.get(env, name);
    Reflect.set(env, name, rate);
    try {
      const order = { event: "1", waitMs: 5000, requestId };
      return (await linesOf("info", () => stub.run(order))).length;
    } finally {
      Reflect.set(env, name, before);
    }
  };
  const low = "00000000-0000-4000-8000-00000000ffff";
  const high = "00000000-0000-4000-8000-0000ffffffff";
  expect(await countWith("0.01", low)).toBe(1);
  expect(await countWith("0.01", high)).toBe(0);
  // Earlier releases used this name, and an operator's setting still applies.
  expect(await countWith("1", high, "TRACE_SHARE")).toBe(1);
  expect(await countWith("0", low)).toBe(0);
  expect(await countWith("", low)).toBe(0);
  expect(await countWith("much", low)).toBe(0);
  expect(await countWith("1", high)).toBe(1);
});
