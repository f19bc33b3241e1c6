import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";
import { checkAccountUses } from "#services/account-checks.ts";
import { openContext } from "#worker/bindings.ts";

import { alertsOf, GITHUB, sourceWith, alertEventsOf, using } from "../support/alerts.ts";
import { operator, signUp } from "../support/client.ts";
import { accountOf, newCustomer } from "../support/connect.ts";
import { sendJson } from "../support/deploy.ts";
import { connected, now } from "../support/oauth.ts";
import { deployWorkflow } from "../support/workflow.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

async function workflowWith(owner: Client, id: string) {
  const configured_props = { app: { authProvisionId: id } };
  const component_code = using("github", "action");
  return deployWorkflow({
    owner,
    steps: [{ name: "use", component_code, props: configured_props }],
  });
}

const lost = (id: string) => ({ kind: "account_lost", subject: { id }, until: null });

test("a deleted account raises an alert without a run, and another account ends it", async () => {
  const ada = await signUp();
  const { id } = (await ada.post("/accounts", GITHUB)).body.data;
  const [source, flow] = [await sourceWith(ada, id), await workflowWith(ada, id)];
  expect((await ada.delete(`/accounts/${id}?force=true`)).status).toBe(204);
  const open = [lost(source.id), lost(flow.id)].map((one) => expect.objectContaining(one.subject));
  await expect
    .poll(async () => (await alertsOf(ada)).map(({ subject }) => subject))
    .toEqual(expect.arrayContaining(open));
  expect(await alertEventsOf(ada, `/sources/${source.id}`)).toMatchObject([
    { kind: "account_lost", recovered: false, error: null, details: { accounts: [id] } },
  ]);
  const other = (await ada.post("/accounts", GITHUB)).body.data.id;
  const configured_props = { app: { authProvisionId: other } };
  expect((await ada.put(`/sources/${source.id}`, { configured_props })).status).toBe(200);
  await expect.poll(() => alertsOf(ada)).toMatchObject([lost(flow.id)]);
  expect(await alertEventsOf(ada, `/sources/${source.id}`)).toMatchObject([
    { kind: "account_lost", recovered: true },
    { recovered: false },
  ]);
  expect(await alertsOf(ada, "?state=ended")).toMatchObject([
    { kind: "account_lost", subject: { type: "source", id: source.id }, until: expect.any(String) },
  ]);
});

test("an account with a rejected refresh raises one alert, and a repair ends it", async () => {
  const account = await connected([{ status: 400, body: '{"error":"invalid_grant"}' }], {
    expiresAt: now() - 1,
  });
  const { ada, app } = account;
  const source = await sourceWith(ada, account.id, { app });
  await account.auth();
  await expect.poll(() => alertsOf(ada)).toMatchObject([lost(source.id)]);
  await account.auth();
  const credentials = { oauth_access_token: "repaired" };
  expect((await ada.put(`/accounts/${account.id}`, { credentials })).status).toBe(200);
  await expect.poll(() => alertsOf(ada)).toEqual([]);
  expect(await alertEventsOf(ada, `/sources/${source.id}`)).toMatchObject([
    { recovered: true },
    { recovered: false },
  ]);
});

test("a trigger of Connect raises an alert without a run, and another account ends it", async () => {
  const customer = await newCustomer();
  const { server } = customer;
  const key = `shop-${newToken().toLowerCase()}`;
  const component_code = using("shop").replace("name:", `key: "${key}", name:`);
  await operator.post("/registry", { component_code });
  const accounts = [
    await accountOf(customer, "one", { app: "shop" }),
    await accountOf(customer, "one", { app: "shop" }),
  ];
  const configured = (index: number) => ({
    external_user_id: "one",
    configured_props: { app: { authProvisionId: accounts[index] } },
  });
  const { status, body } = await server.post("/triggers/deploy", { id: key, ...configured(0) });
  expect([status, body]).toEqual([200, expect.anything()]);
  const { id } = body.data;
  const received = async () => {
    const { events } = await env.SOURCES.getByName(id).events({
      limit: 10,
      channel: "$alerts",
      expand: true,
    });
    return events.map(({ payload }) => JSON.parse(payload));
  };
  expect((await server.delete(`/accounts/${accounts[0]}`)).status).toBe(204);
  const off = { kind: "account_lost", recovered: false, details: { accounts: [accounts[0]] } };
  await expect.poll(received).toMatchObject([off]);
  expect((await server.put(`/deployed-triggers/${id}`, configured(1))).status).toBe(200);
  await expect.poll(received).toMatchObject([{ kind: "account_lost", recovered: true }, off]);
  const listed = async () => (await operator.get("/alerts?state=all&limit=100")).body.data;
  await expect
    .poll(listed)
    .toContainEqual(
      expect.objectContaining({ kind: "account_lost", subject: expect.objectContaining({ id }) }),
    );
});

test("a crash between a change of an account and the check of its sources loses no alert", async () => {
  const ada = await signUp();
  const { id } = (await ada.post("/accounts", GITHUB)).body.data;
  const source = await sourceWith(ada, id);
  const stub = env.SOURCES.getByName(source.id);
  // This notifies no source, as if the process had crashed right after it.
  await env.DB.prepare("UPDATE accounts SET dead = 1, error = 'revoked' WHERE id = ?")
    .bind(id)
    .run();
  const pending = async () =>
    env.DB.prepare("SELECT changes FROM account_checks WHERE subject_id = ?")
      .bind(source.id)
      .first();
  expect(await pending()).toEqual({ changes: 1 });
  await env.DB.prepare("UPDATE accounts SET error = NULL WHERE id = ?").bind(id).run();
  expect(await pending()).toEqual({ changes: 2 });
  await checkAccountUses(openContext(env));
  await evictDurableObject(stub);
  expect(await pending()).toBeNull();
  await expect.poll(() => alertsOf(ada)).toMatchObject([lost(source.id)]);
  expect(await alertEventsOf(ada, `/sources/${source.id}`)).toHaveLength(1);
});

test("an alert about a dead account stays open after runs that succeed with its remaining token", async () => {
  const ada = await signUp();
  const { id } = (await ada.post("/accounts", GITHUB)).body.data;
  const source = await sourceWith(ada, id, {
    component_code: using("github").replace(
      "run() {}",
      "run({ body }) { if (body.fail) throw 1; }",
    ),
  });
  const { body } = await ada.get(`/sources/${source.id}`);
  const url = body.data.configured_props.http.endpoint_url;
  await env.DB.prepare("UPDATE accounts SET dead = 1 WHERE id = ?").bind(id).run();
  await checkAccountUses(openContext(env));
  await expect.poll(() => alertsOf(ada)).toMatchObject([lost(source.id)]);
  await sendJson(url, { fail: true });
  await sendJson(url, {});
  await expect
    .poll(async () => (await ada.get(`/sources/${source.id}/$errors/event_summaries`)).body.data)
    .toHaveLength(1);
  expect(await alertEventsOf(ada, `/sources/${source.id}`)).toMatchObject([{ recovered: false }]);
});

test("an inactive source or workflow sends no alert about its account until it is active again", async () => {
  const ada = await signUp();
  const { id } = (await ada.post("/accounts", GITHUB)).body.data;
  const source = await sourceWith(ada, id);
  await ada.put(`/sources/${source.id}`, { active: false });
  await ada.delete(`/accounts/${id}?force=true`);
  const stub = env.SOURCES.getByName(source.id);
  const isChecked = () =>
    runInDurableObject(stub, (_, { storage }) => storage.kv.get("account_check") === undefined);
  await checkAccountUses(openContext(env));
  await expect.poll(isChecked).toBe(true);
  expect(await alertEventsOf(ada, `/sources/${source.id}`)).toEqual([]);
  await ada.put(`/sources/${source.id}`, { active: true });
  await expect.poll(() => alertsOf(ada)).toMatchObject([lost(source.id)]);
});
