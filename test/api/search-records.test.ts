// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { accountOf, newBrowser, newCustomer } from "../support/connect.ts";
import { sendJson } from "../support/deploy.ts";
import { reportUsage } from "../support/usage.ts";
import { newReceiver } from "../support/webhook.ts";
import { code, deployWorkflow, runOnce, triggerHttp } from "../support/workflow.ts";

type Client = Pick<Awaited<ReturnType<typeof signUp>>, "get">;

const CODE = `export default { name: "Emitting", version: "0.0.1", props: { http: "$.interface.http" },
  run({ body }) {
    console.log("seen");
    this.$emit(body, { summary: "No " + body.n });
  } }`;

async function deploy(client: Awaited<ReturnType<typeof signUp>>, more: object = {}) {
  const { body } = await client.post("/sources", { component_code: CODE, ...more });
  return { id: body.data.id, url: body.data.configured_props.http.endpoint_url as string };
}

async function firstEvent(client: Client, id: string, channel = "") {
  const events = async () =>
    (await client.get(`/sources/${id}${channel}/event_summaries`)).body.data;
  await expect.poll(events).toHaveLength(1);
  return (await events())[0];
}

const found = async (client: Client, q: string, more = "") =>
  (await client.get(`/search?q=${encodeURIComponent(q)}${more}`)).body.data;

test("an event is found by its id, with its source and its channel, by those who may see it", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada);
  const { id, url } = await deploy(ada, { org_id: workspace });
  // The newest source is queried first unless usage was reported.
  await deploy(ada);
  await sendJson(url, { n: 7 });
  const event = await firstEvent(ada, id);
  const expected = {
    type: "event",
    id: event.id,
    name: "No 7",
    detail: null,
    parent_id: id,
    owner_id: workspace,
  };
  expect(await found(ada, event.id)).toEqual([expected]);
  expect(await found(ada, event.id, `&org_id=${workspace}`)).toEqual([expected]);
  expect(await found(eve, event.id)).toEqual([]);
  // A part of an id is no id of an event.
  expect(await found(ada, event.id.slice(0, -2))).toEqual([]);
  const line = await firstEvent(ada, id, "/$logs");
  expect(await found(ada, line.id)).toMatchObject([
    { type: "event", name: "emitting", detail: "$logs", parent_id: id },
  ]);
});

test("of many sources, the one that emitted in the hour of an event is queried", async () => {
  const ada = await signUp();
  const { id, url } = await deploy(ada);
  await sendJson(url, { n: 1 });
  const event = await firstEvent(ada, id);
  // The home page writes usage to the database, and fifty newer sources did nothing.
  const counted = async () => {
    await reportUsage(id);
    return (await ada.get("/overview")).body.data.totals.events;
  };
  await expect.poll(counted).toBe(1);
  await env.DB.prepare(
    `INSERT INTO sources (id, owner_id, user_id, component_id, name, name_slug, active, state, shown_props, endpoints,
       created_at, updated_at)
     WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 50)
     SELECT ?1 || n, ?2, ?2, 'sc_none', 'Quiet ' || n, 'quiet-' || n, 1, 'live', '{}', '{}', 1, 1 FROM numbers`,
  )
    .bind(`${id}x`, ada.user.id)
    .run();
  expect(await found(ada, event.id)).toMatchObject([{ type: "event", parent_id: id }]);
});

test("events of a workflow are found by their ids, with their channels, by those who may see it", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const flow = await deployWorkflow({
    owner: ada,
    steps: [
      {
        name: "one",
        component_code: code(
          `await $.send.emit({ raw_event: { n: 1 }, event_name: "refunds" }); throw new Error("No stock")`,
        ),
      },
    ],
  });
  await triggerHttp(flow.url);
  await deploy(ada);
  for (const channel of ["refunds", "$errors"]) {
    const path = channel === "refunds" ? "" : "/$errors";
    const listed = async () =>
      (await ada.get(`/workflows/${flow.id}${path}/event_summaries`)).body.data;
    await expect.poll(listed).toHaveLength(1);
    const [{ id }] = await listed();
    expect(await found(ada, id)).toEqual([
      {
        type: "event",
        id,
        name: "Flow",
        detail: channel,
        parent_id: flow.id,
        owner_id: ada.user.id,
      },
    ]);
    expect(await found(eve, id)).toEqual([]);
  }
});

test("a run and a delivery are found by their ids, by their owner alone", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const flow = await deployWorkflow({
    owner: ada,
    steps: [{ name: "one", component_code: "export default () => 1" }],
  });
  const run = await runOnce(flow);
  expect(await found(ada, run.id)).toMatchObject([
    { type: "run", id: run.id, name: "Flow", parent_id: flow.id, owner_id: ada.user.id },
  ]);
  expect(await found(eve, run.id)).toEqual([]);
  expect(await found(ada, crypto.randomUUID())).toEqual([]);

  const { id, url } = await deploy(ada);
  const receiver = await newReceiver({ status: 200 });
  const { body: webhook } = await ada.post("/webhooks", { url: receiver.url, name: "Cellar" });
  await ada.post("/subscriptions", { emitter_id: id, listener_id: webhook.data.id });
  await sendJson(url, { n: 1 });
  const deliveries = async () =>
    (await ada.get(`/webhooks/${webhook.data.id}/deliveries`)).body.data;
  await expect.poll(deliveries).toHaveLength(1);
  const [delivery] = await deliveries();
  expect(await found(ada, delivery.id)).toMatchObject([
    { type: "delivery", id: delivery.id, name: "Cellar", parent_id: webhook.data.id },
  ]);
  expect(await found(eve, delivery.id)).toEqual([]);
});

test("a run is found in any of very many workflows, part by part", async () => {
  const ada = await signUp();
  const flow = await deployWorkflow({
    owner: ada,
    steps: [{ name: "one", component_code: "export default () => 1" }],
  });
  const run = await runOnce(flow);
  const isFound = [expect.objectContaining({ type: "run", id: run.id, parent_id: flow.id })];
  const searched = async (id: string, offset: number) =>
    (await ada.get(`/search?q=${id}&offset=${offset}`)).body;
  expect(await searched(run.id, 0)).toEqual({ data: isFound, next_offset: null });
  // Workflows that ran on both of the last days are queried before it.
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO workflows (id, owner_id, deployment_id, name, active, "trigger", steps, created_at, updated_at)
       WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 255)
       SELECT id || 'x' || n, owner_id, deployment_id, 'Idle ' || n, 0, "trigger", steps, 1, 1
       FROM workflows, numbers WHERE id = ?`,
    ).bind(flow.id),
    env.DB.prepare(
      `INSERT INTO usage (owner_id, day, emitter_id, invocations, compute_ms, credits)
       SELECT owner_id, day.value, workflows.id, 1, 1, 1
       FROM workflows, json_each(json_array(date(), date('now', '-1 day'))) AS day
       WHERE owner_id = ? AND name LIKE 'Idle %'`,
    ).bind(ada.user.id),
  ]);
  expect(await searched(run.id, 0)).toEqual({ data: [], next_offset: 250 });
  expect(await searched(run.id, 250)).toEqual({ data: isFound, next_offset: null });
  expect(await searched(crypto.randomUUID(), 250)).toEqual({ data: [], next_offset: null });
  // Resources are in the first part, and a text that is no id of a record has one part.
  expect(await searched("Idle", 250)).toEqual({ data: [], next_offset: null });
  expect((await ada.get("/search?q=Idle&offset=-1")).status).toBe(400);
});

test("external users are found by the beginning of the customer's id, and by our own", async () => {
  const [customer, other] = [await newCustomer(), await newCustomer()];
  for (const user of ["merchant-1", "merchant-12", "Merchant-1"]) await newBrowser(customer, user);
  await newBrowser(other, "merchant-1");
  const users = await found(customer.ada, "merchant-1");
  expect(users).toMatchObject(
    ["merchant-1", "merchant-12"].map((name) => ({
      type: "external_user",
      name,
      detail: "production",
      parent_id: customer.project,
      owner_id: customer.ada.user.id,
    })),
  );
  const [{ id }] = users;
  const listed = await customer.server.get("/users?limit=10");
  expect(listed.body.data).toContainEqual(
    expect.objectContaining({ id, external_id: "merchant-1" }),
  );
  expect(await found(customer.ada, id)).toEqual([users[0]]);
  expect(await found(other.ada, id)).toEqual([]);
  // Neither a part in the middle nor a pattern matches.
  expect(await found(customer.ada, "erchant-1")).toEqual([]);
  expect(await found(customer.ada, "merchant_1")).toEqual([]);
  await customer.server.delete("/users/merchant-12");
  expect(await found(customer.ada, "merchant-12")).toEqual([]);
});

test("accounts and triggers of external users are found by their ids, with the user and the project", async () => {
  const [customer, eve] = [await newCustomer(), await signUp()];
  const { server, project, ada } = customer;
  const account = await accountOf(customer, "one");
  const key = `shop-${newToken().toLowerCase()}`;
  const component_code = CODE.replace("{", `{ key: "${key}", type: "source",`);
  await operator.post("/registry", { component_code });
  const { body } = await server.post("/triggers/deploy", { id: key, external_user_id: "one" });
  for (const [type, id] of [
    ["connected_account", account],
    ["deployed_trigger", body.data.id],
  ]) {
    expect(await found(ada, id)).toMatchObject([
      { type, id, name: "one", detail: "production", parent_id: project, owner_id: ada.user.id },
    ]);
    expect(await found(eve, id)).toEqual([]);
  }
});

test("workspaces, OAuth clients and API keys are found by name", async () => {
  const customer = await newCustomer();
  const { ada } = customer;
  const workspace = await workspaceOf(ada);
  expect(await found(ada, workspace)).toMatchObject([{ type: "workspace", id: workspace }]);
  const { body: client } = await ada.post("/connect/oauth_clients", { name: "Orchard server" });
  const { body: key } = await ada.post("/api_keys", { name: "Orchard laptop" });
  expect(await found(ada, "orchard")).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        type: "oauth_client",
        id: client.data.client_id,
        owner_id: ada.user.id,
      }),
      expect.objectContaining({ type: "api_key", id: key.data.id, name: "Orchard laptop" }),
    ]),
  );
  const eve = await signUp();
  expect(await found(eve, "orchard")).toEqual([]);
  expect(await found(eve, workspace)).toEqual([]);
});
