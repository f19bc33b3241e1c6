import { expect, inject, test } from "vitest";

import { operator, request, signUp } from "../support/client.ts";
import { accountOf, newBrowser, newCustomer } from "../support/connect.ts";

type Customer = Awaited<ReturnType<typeof newCustomer>>;

/** An action with the code `code`, which uses `this` and `$`. */
const action = (code: string, props = "{}", key = `act-${crypto.randomUUID()}`) => `export default {
  key: "${key}", name: "Act", version: "0.1.0", type: "action", props: ${props},
  async run({ $, steps }) { ${code} },
};`;

/** Save an action of the customer. Returns its key. */
async function saved({ ada }: Pick<Customer, "ada">, code: string, props?: string) {
  const key = `act-${crypto.randomUUID()}`;
  const component_code = action(code, props, key);
  const { status, body } = await ada.post("/components", { component_code });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return key;
}

const usedBy = async ({ ada }: Pick<Customer, "ada">) =>
  (await ada.get("/users/me")).body.data.daily_invocations_used as number;

test("an action runs without a workflow, and returns its exports, return value and logs", async () => {
  const customer = await newCustomer();
  const id = await saved(
    customer,
    `console.log("begin", this.name); console.error("careful");
     $.export("$summary", "Greeted"); $.export("count", 2);
     return { hello: this.name, runs: $.context.run.runs, steps };`,
    `{ name: { type: "string" } }`,
  );
  const ran = await customer.server.post("/actions/run", {
    id,
    external_user_id: "one",
    configured_props: { name: "Ada" },
  });
  expect(ran).toMatchObject({ status: 200 });
  expect(ran.body).toEqual({
    exports: { $summary: "Greeted", count: 2 },
    os: [
      { k: "console.log", ts: expect.any(Number), msg: "begin Ada" },
      { k: "console.error", ts: expect.any(Number), msg: "careful" },
    ],
    ret: { hello: "Ada", runs: 1, steps: {} },
  });
});

test("the v1 API takes the id or the key of an action as id, too", async () => {
  const ada = await signUp();
  const key = `greet-${crypto.randomUUID()}`;
  const code = `export default { key: "${key}", name: "A", version: "1", type: "action", run() { return 1; } };`;
  const { body } = await ada.post("/components", { component_code: code });
  for (const id of [body.data.id, key]) {
    const ran = await ada.post("/actions/run", { id });
    expect(ran).toMatchObject({ status: 200, body: { data: { ret: 1 } } });
    expect(ran.body).not.toHaveProperty("warnings");
  }
});

test("a failing action responds with its error and its earlier exports", async () => {
  const customer = await newCustomer();
  const id = await saved(customer, `$.export("half", 1); throw new RangeError("too far");`);
  const ran = await customer.server.post("/actions/run", { id, external_user_id: "one" });
  expect(ran).toMatchObject({
    status: 200,
    body: { exports: { half: 1 }, os: [{ k: "error", err: { name: "RangeError" } }] },
  });
  expect(ran.body.os[0].err).toMatchObject({
    message: "too far",
    stack: expect.stringContaining("component.js:3"),
  });
  expect(ran.body.ret).toBeUndefined();
});

test.each([
  `$.flow.delay(1)`,
  `$.flow.suspend()`,
  `$.flow.rerun(1)`,
  `await $.flow.trigger("p_1", {})`,
  `$.respond({ status: 200 })`,
  `await $.send.emit({ raw_event: {} })`,
  `await $.send.sse({ channel: "a" })`,
  `await $.send.email({ subject: "a" })`,
])("an action without a workflow is rejected %s", async (code) => {
  const ada = await signUp();
  const { body } = await ada.post("/actions/run", { component_code: action(code) });
  const [, name] = /\$\.([\w.]+)/.exec(code) ?? [];
  expect(body.data.os).toMatchObject([
    {
      k: "error",
      err: { message: `$.${name} is not offered here: the action runs without a workflow` },
    },
  ]);
});

test("$.flow.exit is in the log, and $.send.http is sent or logs its failure", async () => {
  const ada = await signUp();
  const origin = inject("httpServer");
  const component_code = action(
    `$.flow.exit("enough"); $.send.http({ method: "POST", url: this.good, data: { a: 1 } });
     $.send.http({ method: "GET", url: this.bad });`,
    `{ good: { type: "string" }, bad: { type: "string" } }`,
  );
  const configured_props = { good: `${origin}/echo`, bad: `${origin}/status/404` };
  const { body } = await ada.post("/actions/run", { component_code, configured_props });
  expect(body.data.os).toMatchObject([
    { k: "console.log", msg: "$.flow.exit: enough" },
    { k: "error", err: { message: `$.send.http: GET to ${origin}: it responded with 404` } },
  ]);
});

test("checks the props of an action, and rejects a source", async () => {
  const customer = await newCustomer();
  const { server, ada } = customer;
  const id = await saved(customer, "", `{ count: { type: "integer" } }`);
  const run = (more: object) => server.post("/actions/run", { external_user_id: "one", ...more });
  expect(await run({ id })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("configured_props.count") },
  });
  const wrong = await run({ id, configured_props: { count: "x" } });
  expect(wrong).toMatchObject({ status: 400 });
  expect(await run({ id: "none-there" })).toMatchObject({ status: 404 });
  expect(await run({ id, version: "9.9.9" })).toMatchObject({ status: 404 });
  const given = { id, version: "0.1.0", configured_props: { count: 1 } };
  expect(await run(given)).toMatchObject({ status: 200 });
  expect(await server.post("/actions/run", { id })).toMatchObject({ status: 400 });
  const source = `export default { key: "source-${crypto.randomUUID()}", name: "S", version: "0.0.1", run() {} };`;
  const { body } = await ada.post("/components", { component_code: source });
  expect(await run({ id: body.data.id })).toMatchObject({
    status: 400,
    body: { error: "id: a source cannot be run: only actions can" },
  });
});

test("an action uses accounts of its external user alone", async () => {
  const customer = await newCustomer();
  const { server } = customer;
  const id = await saved(
    customer,
    `return this.github.$auth.api_key;`,
    `{ github: { type: "app", app: "github" } }`,
  );
  await server.post("/tokens", { external_user_id: "one" });
  await server.post("/tokens", { external_user_id: "two" });
  const configured_props = { github: { authProvisionId: await accountOf(customer, "one") } };
  const run = (external_user_id: string, headers = {}) =>
    server.post("/actions/run", { id, external_user_id, configured_props }, headers);
  expect((await run("one")).body.ret).toBe("sk_ada");
  expect(await run("two")).toMatchObject({ status: 400 });
  expect(await run("one", { "x-pd-environment": "development" })).toMatchObject({ status: 400 });
  const browser = await newBrowser(customer, "one");
  const own = await browser.post("/actions/run", { id, configured_props });
  expect(own).toMatchObject({ status: 200, body: { ret: "sk_ada" } });
  const others = { id, configured_props, external_user_id: "two" };
  expect(await browser.post("/actions/run", others)).toMatchObject({ status: 403 });
});

test("an action runs only in its customer's project and from the customer's components", async () => {
  const [one, two] = [await newCustomer(), await newCustomer()];
  const id = await saved(one, "return 1");
  const body = { id, external_user_id: "one" };
  expect(await two.server.post("/actions/run", body)).toMatchObject({ status: 404 });
  const foreign = await two.connect.post(`/${one.project}/actions/run`, body);
  expect(foreign).toMatchObject({ status: 404 });
  expect(await one.server.post("/actions/run", body)).toMatchObject({ status: 200 });
});

test("a run of an action is an invocation of the project's owner and subject to the owner's quota", async () => {
  const customer = await newCustomer();
  const id = await saved(customer, `await new Promise((done) => setTimeout(done, 20));`);
  const run = () => customer.server.post("/actions/run", { id, external_user_id: "one" });
  expect(await run()).toMatchObject({ status: 200 });
  expect(await usedBy(customer)).toBe(1);
  await operator.put(`/users/${customer.ada.user.id}/quotas`, { daily_invocations_quota: 2 });
  expect(await run()).toMatchObject({ status: 200 });
  expect(await run()).toMatchObject({ status: 429, body: { code: "quota_exceeded" } });
});

test("rejects a run of an action beyond the hop limit", async () => {
  const ada = await signUp();
  const body = { component_code: action("return 1") };
  const late = { "x-wellspring-hops": "16" };
  expect(await ada.post("/actions/run", body, late)).toMatchObject({ status: 508 });
});

test("an action's requests to the platform's API carry its hops", async () => {
  const ada = await signUp();
  const component_code = action(
    `const response = await fetch("http://wellspring.test/v1/actions/run", {
       method: "POST",
       headers: { authorization: "Bearer " + this.key, "content-type": "application/json" },
       body: JSON.stringify({ component_code: this.code, configured_props: { ...this, code: this.code } }),
     });
     const { data, code } = await response.json();
     return data ? 1 + Number(data.ret) : code === "loop_detected" ? 0 : -1000;`,
    `{ key: { type: "string" }, code: { type: "string" } }`,
    "recursive",
  );
  const configured_props = { key: ada.user.api_key, code: component_code };
  const { body } = await ada.post("/actions/run", { component_code, configured_props });
  expect(body.data.os).toEqual([]);
  expect(body.data.ret).toBeGreaterThan(0);
  expect(body.data.ret).toBeLessThan(16);
});

test("a user of v1 runs an action by id, key or code, with data stores", async () => {
  const ada = await signUp();
  const key = await saved(
    { ada },
    `await this.data.set("n", 1); return this.data.get("n");`,
    `{ data: { type: "data_store" } }`,
  );
  const store = await ada.post("/data_stores", { name: "mine" });
  const configured_props = { data: store.body.data.id };
  const ran = await ada.post("/actions/run", { key, configured_props });
  expect(ran).toMatchObject({ status: 200, body: { data: { ret: 1, os: [] } } });
  expect(await ada.post("/actions/run", {})).toMatchObject({ status: 400 });
  const source = { component_code: `export default { name: "S", version: "0.0.1", run() {} };` };
  expect(await ada.post("/actions/run", source)).toMatchObject({ status: 400 });
  const eve = await signUp();
  expect(await eve.post("/actions/run", { key, configured_props })).toMatchObject({ status: 404 });
});

test("a run without a key is rejected", async () => {
  expect(await request("POST", "/v1/actions/run", { body: {} })).toMatchObject({ status: 401 });
});

test("an action runs with the id of its dynamic props, which only its own user may use", async () => {
  const customer = await newCustomer();
  const key = `act-${crypto.randomUUID()}`;
  const component_code = `export default {
    key: "${key}", name: "Row", version: "0.0.1", type: "action",
    props: { columns: { type: "integer", reloadProps: true } },
    additionalProps() {
      return Object.fromEntries(Array.from({ length: this.columns }, (_, index) => [
        "column_" + index,
        { type: "string", optional: true, label: crypto.randomUUID(), description: crypto.randomUUID() },
      ]));
    },
    run() { return this.column_39; },
  };`;
  expect(await customer.ada.post("/components", { component_code })).toMatchObject({ status: 200 });
  const [id, external_user_id] = [key, "one"];
  const configured_props = { columns: 40 };
  const reloaded = await customer.server.post("/actions/props", {
    id,
    external_user_id,
    configured_props,
  });
  const { id: dynamic_props_id } = reloaded.body.dynamic_props;
  expect(dynamic_props_id.length).toBeGreaterThan(2000);
  const input = { id, dynamic_props_id, configured_props: { ...configured_props, column_39: "x" } };
  expect(await customer.server.post("/actions/run", { ...input, external_user_id })).toMatchObject({
    status: 200,
    body: { ret: "x" },
  });
  const other = await customer.server.post("/actions/run", { ...input, external_user_id: "two" });
  expect(other).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("dynamic_props_id") },
  });
});
