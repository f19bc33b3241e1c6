import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";
import { forgetTriggers } from "#services/connect/departures.ts";
import { openContext } from "#worker/bindings.ts";

import { operator } from "../support/client.ts";
import { newBrowser, newCustomer } from "../support/connect.ts";
import { sendJson } from "../support/deploy.ts";
import { newReceiver } from "../support/webhook.ts";

type Customer = Awaited<ReturnType<typeof newCustomer>>;

/** Publish a source that emits its requests, and an event in its deploy hook. */
async function newComponent(hooks = "async deploy() { this.$emit({ deployed: 1 }); }") {
  const key = `shop-${newToken().toLowerCase()}`;
  const { status } = await operator.post("/registry", {
    component_code: `export default {
      key: "${key}", name: "New Order", version: "0.0.1", type: "source",
      props: { http: "$.interface.http", shelf: { type: "string", default: "top" } },
      hooks: { ${hooks} }, run({ body }) { this.$emit({ ...body, shelf: this.shelf }, { summary: "Order" }); },
    };`,
  });
  expect(status).toBe(200);
  return key;
}

const USER = "external_user_id=one";

async function deploy({ server }: Customer, key: string, more: object = {}) {
  const { status, body } = await server.post("/triggers/deploy", {
    id: key,
    external_user_id: "one",
    ...more,
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.data;
}

test("a trigger is deployed for a user, and its webhook receives all its events", async () => {
  const [customer, key, receiver] = [
    await newCustomer(),
    await newComponent(),
    await newReceiver(),
  ];
  const trigger = await deploy(customer, key, { webhook_url: receiver.url });
  expect(trigger).toMatchObject({
    id: expect.stringMatching(/^dc_/),
    type: "DeployedComponent",
    component_key: key,
    active: true,
    configured_props: { shelf: "top", http: { endpoint_url: expect.any(String) } },
    configurable_props: expect.any(Array),
    webhook_signing_key: expect.any(String),
    emit_on_deploy: true,
    external_user_id: "one",
  });
  expect(trigger.created_at).toBeGreaterThan(1e12);
  await sendJson(trigger.configured_props.http.endpoint_url, { order: 1 });
  await expect
    .poll(async () => {
      // They are sent side by side.
      const bodies = (await receiver.received()).map(({ body }) => body).toSorted();
      return bodies.map((body) => JSON.parse(body));
    })
    .toEqual([{ deployed: 1 }, { order: 1, shelf: "top" }]);
  const [first] = await receiver.received();
  expect(first?.headers["x-pd-signature"]).toMatch(/^t=\d+,v1=[\da-f]{64}$/);
  const events = await customer.server.get(`/deployed-triggers/${trigger.id}/events?${USER}&n=5`);
  expect(events.body.data).toMatchObject([
    { e: { order: 1 }, k: "emit", sum: "Order", id: expect.any(String), ts: expect.any(Number) },
    { e: { deployed: 1 } },
  ]);
});

test("without emit_on_deploy, a trigger has no events of the deploy hook", async () => {
  const [customer, key] = [await newCustomer(), await newComponent()];
  const trigger = await deploy(customer, key, { emit_on_deploy: false });
  const events = await customer.server.get(`/deployed-triggers/${trigger.id}/events?${USER}`);
  expect(events.body.data).toEqual([]);
});

test("triggers are listed, read, changed and deleted", async () => {
  const [customer, key] = [await newCustomer(), await newComponent()];
  const { server } = customer;
  const { webhook_signing_key: _, ...trigger } = await deploy(customer, key);
  const path = `/deployed-triggers/${trigger.id}`;
  expect((await server.get(`${path}?${USER}`)).body.data).toEqual(trigger);
  expect((await server.get(`/deployed-triggers?${USER}`)).body).toMatchObject({
    data: [trigger],
    page_info: { total_count: 1 },
  });
  const changed = await server.put(path, {
    external_user_id: "one",
    name: "Renamed",
    configured_props: { shelf: "low" },
  });
  expect(changed.body.data).toMatchObject({
    name: "Renamed",
    active: true,
    configured_props: { shelf: "low" },
  });
  const paused = await server.put(path, { external_user_id: "one", active: false });
  expect(paused.body.data).toMatchObject({ name: "Renamed", active: false });
  expect((await server.delete(`${path}?${USER}`)).status).toBe(204);
  expect((await server.get(`${path}?${USER}`)).status).toBe(404);
  expect((await server.get(`/deployed-triggers?${USER}`)).body.data).toEqual([]);
});

test("a trigger's webhooks are set and read, and their signing key is regenerated", async () => {
  const [customer, key] = [await newCustomer(), await newComponent("")];
  const { server } = customer;
  const [one, two] = [await newReceiver(), await newReceiver()];
  const trigger = await deploy(customer, key, { webhook_url: one.url });
  const path = `/deployed-triggers/${trigger.id}/webhooks`;
  const before = await server.get(`${path}?${USER}`);
  expect(before.body.webhook_urls).toEqual([one.url]);
  const [{ id }] = before.body.webhooks;
  const read = await server.get(`${path}/${id}?${USER}`);
  expect(read.body.data).toMatchObject({
    url: one.url,
    signing_key: trigger.webhook_signing_key,
    signing_key_set: true,
  });
  const renewed = await server.post(`${path}/${id}/regenerate_signing_key?${USER}`);
  expect(renewed.body.data.signing_key).not.toBe(trigger.webhook_signing_key);
  const set = await server.put(path, {
    external_user_id: "one",
    webhook_urls: [one.url, two.url],
  });
  expect(set.body.webhook_urls).toEqual([one.url, two.url]);
  expect(set.body.webhooks[0].id).toBe(id);
  await server.put(path, { external_user_id: "one", webhook_urls: [two.url] });
  await sendJson(trigger.configured_props.http.endpoint_url, { order: 1 });
  await expect.poll(() => two.received()).toHaveLength(1);
  expect(await one.received()).toEqual([]);
});

test("only workflows of the customer receive events of its triggers", async () => {
  const [customer, stranger, key] = [
    await newCustomer(),
    await newCustomer(),
    await newComponent(""),
  ];
  const workflowOf = async ({ ada }: Customer): Promise<string> => {
    const { body } = await operator.post("/workflows", {
      owner_id: ada.user.id,
      name: "Hearing",
      trigger: { type: "http" },
      steps: [
        { name: "receive", component_code: "export default ({ steps }) => steps.trigger.event" },
      ],
    });
    return body.data.id;
  };
  const [own, theirs] = [await workflowOf(customer), await workflowOf(stranger)];
  const trigger = await deploy(customer, key, { workflow_id: own });
  const path = `/deployed-triggers/${trigger.id}/pipelines`;
  expect((await customer.server.get(`${path}?${USER}`)).body).toEqual({ workflow_ids: [own] });
  await sendJson(trigger.configured_props.http.endpoint_url, { order: 1 });
  await expect
    .poll(async () => (await customer.ada.get(`/workflows/${own}/runs`)).body.data?.length)
    .toBe(1);
  const refused = await customer.server.put(path, {
    external_user_id: "one",
    workflow_ids: [theirs],
  });
  expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining(theirs) } });
  await customer.server.put(path, { external_user_id: "one", workflow_ids: [] });
  expect((await customer.server.get(`${path}?${USER}`)).body).toEqual({ workflow_ids: [] });
});

test("a trigger is its user's alone", async () => {
  const [customer, stranger, key] = [
    await newCustomer(),
    await newCustomer(),
    await newComponent(""),
  ];
  const trigger = await deploy(customer, key);
  const path = `/deployed-triggers/${trigger.id}`;
  const other = await newBrowser(customer, "two");
  for (const answer of [
    await customer.server.get(`${path}?external_user_id=two`),
    await customer.server.get(`${path}?${USER}`, undefined, {
      "x-pd-environment": "development",
    }),
    await stranger.server.get(`${path}?${USER}`),
    await stranger.server.delete(`${path}?${USER}`),
    await other.get(path),
    await other.delete(path),
    await other.get(`${path}/events`),
  ])
    expect(answer.status).toBe(404);
  const own = await newBrowser(customer, "one");
  expect((await own.get("/deployed-triggers")).body.data).toHaveLength(1);
  for (const part of ["webhooks", "webhooks/wh_1", "pipelines"])
    expect((await own.get(`${path}/${part}`)).status).toBe(403);
  const wired = await own.post("/triggers/deploy", { id: key, workflow_id: "p_1" });
  expect(wired).toMatchObject({
    status: 403,
    body: { error: expect.stringContaining("workflow_id") },
  });
  const change = { webhook_urls: ["https://shop.example/"] };
  expect((await own.put(`${path}/webhooks`, change)).status).toBe(403);
});

test.for([
  ["an unknown component", { id: "nowhere" }, 404, "nowhere"],
  ["no user", { external_user_id: undefined }, 400, "external_user_id"],
  ["an invalid URL", { webhook_url: "shop" }, 400, "webhook_url"],
  ["an unknown workflow", { workflow_id: "p_none" }, 400, "workflow_id"],
  ["a wrong value", { configured_props: { shelf: 1 } }, 400, "configured_props.shelf"],
  ["another's dynamic props", { dynamic_props_id: "dyp_x" }, 400, "dynamic_props_id"],
] as const)("rejects a deployment with %s, and stores nothing", async ([, more, status, name]) => {
  const [{ server }, key] = [await newCustomer(), await newComponent("")];
  const input = { id: key, external_user_id: "one", ...more };
  const refused = await server.post("/triggers/deploy", input);
  expect({ status: refused.status, error: refused.body.error }).toEqual({
    status,
    error: expect.stringContaining(name),
  });
  expect((await server.get(`/deployed-triggers?${USER}`)).body.data).toEqual([]);
});

test("a failed or interrupted deployment leaves no webhook", async () => {
  const [customer, key, receiver] = [
    await newCustomer(),
    await newComponent("deploy() { throw new Error('no'); }"),
    await newReceiver(),
  ];
  const input = { id: key, external_user_id: "one", webhook_url: receiver.url };
  expect((await customer.server.post("/triggers/deploy", input)).status).toBe(422);
  const left = async () => {
    const { results } = await env.DB.prepare("SELECT id FROM webhooks WHERE url = ?")
      .bind(receiver.url)
      .all();
    return results.length;
  };
  expect(await left()).toBe(0);
  const trigger = await deploy(customer, await newComponent(""), { webhook_url: receiver.url });
  expect(await left()).toBe(1);
  // As after a crash before the source was created.
  await env.DB.prepare("DELETE FROM sources WHERE id = ?").bind(trigger.id).run();
  await env.DB.prepare("UPDATE deployed_triggers SET created_at = 1 WHERE source_id = ?")
    .bind(trigger.id)
    .run();
  await forgetTriggers(openContext(env));
  expect(await left()).toBe(0);
});
