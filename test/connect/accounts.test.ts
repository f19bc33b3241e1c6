// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";

import { operator } from "../support/client.ts";
import { newBrowser, newCustomer } from "../support/connect.ts";

type Customer = Awaited<ReturnType<typeof newCustomer>>;

async function newApp(more: object = {}): Promise<string> {
  const slug = `shop_${newToken().toLowerCase()}`;
  const fields = [{ name: "api_key", label: "API key" }];
  await operator.put(`/apps/${slug}`, { name: "Shop", auth_type: "keys", fields, ...more });
  return slug;
}

/** An account of an external user, connected through the API. */
async function connect(customer: Customer, app: string, user: string, more: object = {}) {
  const { token } = await newBrowser(customer, user);
  return customer.server.post("/accounts", {
    connect_token: token,
    app_slug: app,
    cfmap_json: JSON.stringify({ api_key: "key-1" }),
    ...more,
  });
}

test("a program connects an account with a connect token", async () => {
  const [customer, app] = [await newCustomer(), await newApp()];
  const { status, body } = await connect(customer, app, "one", { name: "Main" });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      id: expect.stringMatching(/^apn_/),
      name: "Main",
      external_user_id: "one",
      healthy: true,
      dead: false,
      app: { name_slug: app, auth_type: "keys" },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    },
  });
  expect(JSON.stringify(body)).not.toContain("key-1");
  expect(await customer.server.get(`/accounts/${body.id}`)).toMatchObject({ status: 200, body });
  const unnamed = await connect(customer, app, "one");
  expect(unnamed.body.name).toBe("Shop");
});

test("a browser connects an account with its own token", async () => {
  const [customer, app] = [await newCustomer(), await newApp()];
  const browser = await newBrowser(customer, "one");
  const { body } = await browser.post("/accounts", {
    connect_token: browser.token,
    app_slug: app,
    cfmap_json: JSON.stringify({ api_key: "key-1" }),
  });
  const listed = await browser.get("/accounts");
  expect(listed.body.data).toEqual([body]);
});

test("lists have the accounts of one user, of one app, or of all", async () => {
  const customer = await newCustomer();
  const [app, other] = [await newApp(), await newApp()];
  const first = await connect(customer, app, "one");
  const second = await connect(customer, other, "one");
  const third = await connect(customer, app, "two");
  const idsOf = async (query: string) => {
    const { body } = await customer.server.get(`/accounts${query}`);
    return body.data.map(({ id }: { id: string }) => id);
  };
  expect(await idsOf("")).toEqual([third.body.id, second.body.id, first.body.id]);
  expect(await idsOf("?external_user_id=one")).toEqual([second.body.id, first.body.id]);
  expect(await idsOf(`?app=${app}`)).toEqual([third.body.id, first.body.id]);
  expect(await idsOf("?external_user_id=nobody")).toEqual([]);
  const { body: page } = await customer.server.get("/accounts?limit=2");
  expect(page.page_info).toMatchObject({ total_count: 3, count: 2 });
  expect(await idsOf(`?limit=2&after=${page.page_info.end_cursor}`)).toEqual([first.body.id]);
  const all = await customer.server.get(`/users/one/accounts?app=${app}`);
  expect(all.body).toEqual([first.body]);
});

test("reconnecting an account keeps its id", async () => {
  const [customer, app] = [await newCustomer(), await newApp()];
  const { body: account } = await connect(customer, app, "one", { name: "Main" });
  const again = await connect(customer, app, "one", { account_id: account.id, name: "Renamed" });
  expect(again.body).toMatchObject({ id: account.id, name: "Renamed" });
  const stolen = await connect(customer, app, "two", { account_id: account.id });
  expect(stolen).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(/does not exist any more/) },
  });
});

test("accounts are deleted one by one, or all of an app", async () => {
  const customer = await newCustomer();
  const [app, other] = [await newApp(), await newApp()];
  const { body: account } = await connect(customer, app, "one");
  const { body: kept } = await connect(customer, other, "one");
  await connect(customer, app, "two");
  expect((await customer.server.delete(`/accounts/${account.id}`)).status).toBe(204);
  expect((await customer.server.delete(`/accounts/${account.id}`)).status).toBe(404);
  expect((await customer.server.delete(`/apps/${app}/accounts`)).status).toBe(204);
  const { body } = await customer.server.get("/accounts");
  expect(body.data).toEqual([kept]);
});

const APP = await newApp();

test.for([
  ["invalid JSON", { cfmap_json: "{" }, "cfmap_json: must be the JSON text"],
  ["no key", { cfmap_json: "{}" }, "cfmap_json.api_key: API key is required."],
  ["an unknown field", { cfmap_json: `{"key":"1"}` }, `cfmap_json.key: is not a field of ${APP}`],
  ["an unknown app", { app_slug: "nowhere" }, "connect_token: There is no app nowhere to connect."],
  ["an unknown token", { connect_token: "ctok_1" }, "connect_token: This link has expired"],
  ["an unknown parameter", { api_key: "1" }, "api_key"],
] as const)("rejects an account with %s", async ([, change, message]) => {
  const customer = await newCustomer();
  const refused = await connect(customer, APP, "one", change);
  expect(refused.status).toBe(400);
  expect(refused.body.error).toContain(message);
  expect((await customer.server.get("/accounts")).body.data).toEqual([]);
});

test("a token connects one account, in its own project alone", async () => {
  const [customer, stranger] = [await newCustomer(), await newCustomer()];
  const { token } = await newBrowser(customer, "one");
  const input = { connect_token: token, app_slug: APP, cfmap_json: `{"api_key":"1"}` };
  const elsewhere = await stranger.server.post("/accounts", input);
  expect(elsewhere.body.error).toContain("another project or environment");
  const other = await customer.server.post("/accounts?external_user_id=two", input);
  expect(other.body.error).toContain("another external user");
  expect((await customer.server.post("/accounts", input)).status).toBe(200);
  const again = await customer.server.post("/accounts", input);
  expect(again.body.error).toContain("has connected an account already");
});

test("credentials are shown if the operator allows it, and never to browsers", async () => {
  const [customer, app] = [await newCustomer(), await newApp()];
  const { body: account } = await connect(customer, app, "one");
  const path = `/accounts/${account.id}?include_credentials=true`;
  expect((await customer.server.get(path)).body).toEqual(account);
  const before = env.SHOW_CREDENTIALS;
  Object.assign(env, { SHOW_CREDENTIALS: "true" });
  try {
    const { body } = await customer.server.get(path);
    expect(body.credentials).toEqual({ api_key: "key-1" });
    const listed = await customer.server.get("/users/one/accounts?include_credentials=true");
    expect(listed.body[0].credentials).toEqual({ api_key: "key-1" });
    const browser = await newBrowser(customer, "one");
    expect((await browser.get(path)).body).toEqual(account);
  } finally {
    Object.assign(env, { SHOW_CREDENTIALS: before });
  }
});
