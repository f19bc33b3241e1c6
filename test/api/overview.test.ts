// @suites loader

import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { Id } from "#domain/ids.ts";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { newReceiver } from "../support/webhook.ts";
import { code, deployWorkflow, triggerHttp } from "../support/workflow.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

/** Emits `emits` events, and fails if `fails` is set. */
const REPORTING = `export default { name: "Reporting", version: "1", props: { http: "$.interface.http" },
  run({ body }) {
    for (let n = 0; n < (body.emits ?? 0); n += 1) this.$emit({ n });
    if (body.fails) throw new Error("no");
  } }`;

const HOUR = 3600;
const DAY = 24 * HOUR;

async function deploy(client: Client, more: object = {}) {
  const { status, body } = await client.post("/sources", { component_code: REPORTING, ...more });
  expect([status, body]).toEqual([200, expect.anything()]);
  const id = body.data.id as Id<"source">;
  const url = body.data.configured_props.http.endpoint_url as string;
  return { id, url, stub: env.SOURCES.getByName(id) };
}

async function webhookOf(client: Client, url: string, more: object = {}) {
  const { body } = await client.post("/webhooks", { url, ...more });
  const id = body.data.id as Id<"webhook">;
  return { id, stub: env.WEBHOOKS.getByName(id) };
}

const overviewOf = async (client: Client, query = "") =>
  (await client.get(`/overview${query}`)).body.data;

const NOTHING = { runs: 0, failures: 0, events: 0, deliveries: 0, failed_deliveries: 0 };

/** Report a source's runs until the overview has the wanted totals. */
async function reported(client: Client, stub: DurableObjectStub, wanted: object, query = "") {
  await expect
    .poll(async () => {
      await runDurableObjectAlarm(stub);
      return (await overviewOf(client, query)).totals;
    })
    .toMatchObject(wanted);
}

test("counts the activity of sources by hour, once despite repeats and evictions", async () => {
  const ada = await signUp();
  const { id, url, stub } = await deploy(ada);
  for (const body of [{ emits: 2 }, { emits: 1 }, { fails: true }, {}]) await sendJson(url, body);
  await reported(ada, stub, { runs: 4, failures: 1, events: 3 });
  await evictDurableObject(stub);
  await sendJson(url, { emits: 1, fails: true });
  const wanted = { runs: 5, failures: 2, events: 4 };
  await reported(ada, stub, wanted);
  await runDurableObjectAlarm(stub);
  const { from, to, interval_seconds, series, totals, counts } = await overviewOf(ada);
  expect(totals).toEqual({ ...NOTHING, ...wanted, before: NOTHING });
  expect(counts).toEqual({ sources: 1, workflows: 0, webhooks: 0, accounts: 0 });
  expect([to - from, interval_seconds, series.length]).toEqual([DAY, HOUR, 24]);
  const starts = series.map(({ at }: { at: number }) => at);
  expect(starts).toEqual(Array.from({ length: 24 }, (_, hour) => from + hour * HOUR));
  const last = series.slice(-2).reduce((sum: number, { runs }: { runs: number }) => sum + runs, 0);
  expect(last).toBe(5);
  const own = (await ada.get(`/sources/${id}/activity?hours=2`)).body.data;
  expect(own.totals).toEqual({ ...NOTHING, ...wanted });
  expect(own.series).toHaveLength(2);
});

test("counts runs of workflows and attempts of webhooks", async () => {
  const ada = await signUp();
  const flow = await deployWorkflow({
    owner: ada,
    steps: [
      {
        name: "one",
        component_code: code("if (steps.trigger.event.body.fails) throw new Error('no')"),
      },
    ],
  });
  for (const fails of [false, true]) await triggerHttp(flow.url, { fails });
  await reported(ada, flow.stub, { runs: 2, failures: 1 });

  const { id: source, url, stub } = await deploy(ada);
  // Not repeated during the test.
  const later = { status: 503, headers: { "retry-after": "3600" } };
  const receiver = await newReceiver(later, { status: 200 });
  const hook = await webhookOf(ada, receiver.url);
  await ada.post("/subscriptions", { emitter_id: source, listener_id: hook.id });
  await sendJson(url, { emits: 2 });
  await expect.poll(async () => (await receiver.received()).length).toBe(2);
  await reported(ada, hook.stub, { deliveries: 2, failed_deliveries: 1 });
  await evictDurableObject(hook.stub);
  await runDurableObjectAlarm(hook.stub);
  await reported(ada, stub, { runs: 3, events: 2, deliveries: 2, failed_deliveries: 1 });
  const own = (await ada.get(`/webhooks/${hook.id}/activity`)).body.data;
  expect(own.totals).toEqual({ ...NOTHING, deliveries: 2, failed_deliveries: 1 });
  const ofFlow = (await ada.get(`/workflows/${flow.id}/activity`)).body.data;
  expect(ofFlow.totals).toEqual({ ...NOTHING, runs: 2, failures: 1 });
});

test("an overview is of one workspace, or of all that the caller may see", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada);
  const { url, stub } = await deploy(ada, { org_id: workspace });
  await sendJson(url, { emits: 1 });
  await reported(ada, stub, { runs: 1 }, `?org_id=${workspace}`);
  expect((await overviewOf(ada)).totals).toMatchObject({ runs: 1, events: 1 });
  expect((await overviewOf(ada)).counts.sources).toBe(1);
  expect(await overviewOf(eve)).toMatchObject({
    totals: { runs: 0 },
    counts: { sources: 0 },
    attention: [],
  });
  expect((await eve.get(`/overview?org_id=${workspace}`)).status).toBe(404);
});

test.for(["0", "169", "1.5", "many"])("%s hours are refused", async (hours) => {
  const ada = await signUp();
  expect(await ada.get(`/overview?hours=${hours}`)).toMatchObject({
    status: 400,
    body: { details: { issues: [{ path: "hours" }] } },
  });
});

/** Insert emitted events of a source on some days before today. */
async function emitted(owner: string, id: string, daysAgo: readonly number[]) {
  for (const days of daysAgo) {
    const at = new Date(Date.now() - days * DAY * 1000);
    await env.DB.prepare(
      "INSERT INTO usage (owner_id, day, emitter_id, invocations, compute_ms, credits, hours, events) VALUES (?, ?, ?, 1, 1, 1, ?, 1)",
    )
      .bind(owner, at.toISOString().slice(0, 10), id, `{"${at.getUTCHours()}":[1,0,1]}`)
      .run();
  }
}

test("an overview lists problems that need action, with the next step", async () => {
  const ada = await signUp();
  const moody = await deploy(ada, { name: "moody" });
  for (const body of [{ fails: true }, { fails: true }, { fails: true }, {}])
    await sendJson(moody.url, body);
  await reported(ada, moody.stub, { runs: 4, failures: 3 });
  const silent = await deploy(ada, { name: "silent" });
  await emitted(ada.user.id, silent.id, [2, 3, 4, 5]);
  const rare = await deploy(ada, { name: "rare" });
  await emitted(ada.user.id, rare.id, [2, 6]);

  const receiver = await newReceiver({ status: 410 });
  const hook = await webhookOf(ada, receiver.url, { name: "Pager" });
  await ada.post("/subscriptions", { emitter_id: moody.id, listener_id: hook.id });
  await sendJson(moody.url, { emits: 1 });
  const { body } = await ada.post("/accounts", {
    app: "github",
    name: "Main",
    credentials: { api_key: "k" },
  });
  await env.DB.prepare("UPDATE accounts SET dead = 1, error = 'revoked', error_at = 7 WHERE id = ?")
    .bind(body.data.id)
    .run();
  await operator.put(`/users/${ada.user.id}/quotas`, { daily_invocations_quota: 5 });
  await expect
    .poll(async () => {
      await runDurableObjectAlarm(moody.stub);
      await runDurableObjectAlarm(hook.stub);
      const { attention } = await overviewOf(ada);
      return attention.map(({ kind, severity }: { kind: string; severity: string }) => [
        kind,
        severity,
      ]);
    })
    .toEqual(
      expect.arrayContaining([
        ["inactive_webhook", "error"],
        ["dead_account", "error"],
        ["quota", "error"],
        ["failing_source", "warning"],
        ["silent_source", "warning"],
      ]),
    );
  const { attention } = await overviewOf(ada);
  expect(attention).toHaveLength(5);
  const of = (kind: string) => attention.find((one: { kind: string }) => one.kind === kind);
  expect(of("silent_source")).toMatchObject({ resource_id: silent.id, name: "silent" });
  expect(of("failing_source")).toMatchObject({
    resource_type: "source",
    resource_id: moody.id,
    message: "3 of 5 runs failed since yesterday (UTC)",
    next: { action: "read_errors", label: expect.any(String) },
  });
  expect(of("inactive_webhook")).toMatchObject({
    resource_id: hook.id,
    name: "Pager",
    since: expect.any(Number),
    next: { action: "activate_webhook" },
  });
  expect(of("dead_account")).toMatchObject({ resource_id: body.data.id, since: 7 });
  expect(of("quota")).toMatchObject({ resource_id: ada.user.id, resource_type: "user" });
  expect(attention.slice(0, 3).every((one: { severity: string }) => one.severity === "error")).toBe(
    true,
  );
});
