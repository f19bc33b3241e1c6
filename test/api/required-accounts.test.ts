import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";

import { newAccount } from "../support/accounts.ts";
import { operator, signUp } from "../support/client.ts";

const newApp = (): string => `shop_${newToken().toLowerCase()}`;

/** A source with an account of an app that has these methods. */
const codeOf = (app: string, { methods = "", prop = "" } = {}) => `
  const shop = { type: "app", app: "${app}", methods: { ${methods} } };
  export default {
    name: "Asking", version: "0.0.1",
    props: { shop: { ...shop, ${prop} }, http: "$.interface.http" },
    run() {},
  };`;

const READING = "key() { return this.$auth.api_key; }";

test("a source whose app has credentials requires an account", async () => {
  const [ada, app] = [await signUp(), newApp()];
  const component_code = codeOf(app, { methods: READING });
  const refused = await ada.post("/sources", { component_code });
  expect(refused).toMatchObject({
    status: 400,
    body: { error: `configured_props.shop: an account of ${app} is required` },
  });
  expect((await ada.get("/users/me/sources")).body.data).toEqual([]);
  const account = await newAccount(ada.user.id, { app });
  const configured_props = { shop: { authProvisionId: account } };
  const deployed = await ada.post("/sources", { component_code, configured_props });
  expect(deployed.status).toBe(200);
  const { id } = deployed.body.data;
  const cleared = await ada.put(`/sources/${id}`, { configured_props: { shop: null } });
  expect(cleared).toMatchObject({ status: 400, body: { error: /shop/ } });
  expect((await ada.put(`/sources/${id}`, { active: false })).status).toBe(200);
});

test.for([
  ["reads no credentials", {}],
  ["may be left out", { methods: READING, prop: "optional: true" }],
  ["is hidden", { methods: READING, prop: "hidden: true" }],
  ["cannot be filled in", { methods: READING, prop: "disabled: true" }],
  ["only lists the names", { methods: "authKeys() { console.log(Object.keys(this.$auth)); }" }],
  [
    "is named in comments",
    { methods: "// this.$auth has the account\n keys() { return 1; /* not this.$auth.key */ }" },
  ],
] as const)("a source whose app %s requires no account", async ([, code]) => {
  const ada = await signUp();
  const component_code = codeOf(newApp(), code);
  expect((await ada.post("/sources", { component_code })).status).toBe(200);
});

test.for([
  "Object.keys(this.$auth).map((name) => this.$auth[name])",
  "Object.values(this.$auth)",
  "const { api_key } = this.$auth; return [Object.keys(this.$auth), api_key]",
])("requires an account where methods of the app have %s", async (code) => {
  const ada = await signUp();
  const component_code = codeOf(newApp(), { methods: `keys() { ${code}; }` });
  expect(await ada.post("/sources", { component_code })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("an account of") },
  });
});

test.for([
  ["a function of the module", ""],
  ["a function of the module, with additionalProps", "additionalProps() { return {}; },"],
])("requires an account where $auth is read by %s", async ([, more]) => {
  const [ada, app] = [await signUp(), newApp()];
  const component_code = `
    const keyOf = (shop) => shop.$auth.api_key;
    export default {
      name: "Asking", version: "0.0.1", ${more}
      props: { shop: { type: "app", app: "${app}" }, http: "$.interface.http" },
      run() { this.$emit(keyOf(this.shop)); },
    };`;
  expect(await ada.post("/sources", { component_code })).toMatchObject({
    status: 400,
    body: { error: `configured_props.shop: an account of ${app} is required` },
  });
  const account = await newAccount(ada.user.id, { app });
  const configured_props = { shop: { authProvisionId: account } };
  const deployed = await ada.post("/sources", { component_code, configured_props });
  expect(deployed.status).toBe(200);
});

test("the operator's settings of an app override the fields in its code", async () => {
  const [ada, app, open] = [await signUp(), newApp(), newApp()];
  await operator.put(`/apps/${app}`, { auth_type: "keys", fields: [{ name: "api_key" }] });
  await operator.put(`/apps/${open}`, { auth_type: "none" });
  const rejected = await ada.post("/sources", { component_code: codeOf(app) });
  expect(rejected.status).toBe(400);
  const component_code = codeOf(open, { methods: READING });
  expect((await ada.post("/sources", { component_code })).status).toBe(200);
});

test("an action that runs without a workflow requires an account", async () => {
  const [ada, app] = [await signUp(), newApp()];
  const component_code = `export default {
    name: "Ask", version: "0.0.1", type: "action",
    props: { shop: { type: "app", app: "${app}" } }, run() { return this.shop.$auth.api_key; },
  };`;
  expect(await ada.post("/actions/run", { component_code })).toMatchObject({
    status: 400,
    body: { error: `configured_props.shop: an account of ${app} is required` },
  });
  const account = await newAccount(ada.user.id, { app });
  const configured_props = { shop: { authProvisionId: account } };
  const ran = await ada.post("/actions/run", { component_code, configured_props });
  expect(ran).toMatchObject({ status: 200, body: { data: { ret: "sk_ada" } } });
});

test("a workflow's action requires an account, unless a run computes one", async () => {
  const [ada, app] = [await signUp(), newApp()];
  const component_code = `export default {
    name: "Ask", version: "0.0.1", type: "action",
    props: { shop: { type: "app", app: "${app}" } }, run() { return this.shop.$auth.api_key; },
  };`;
  const workflowOf = (props: object) => ({
    owner_id: ada.user.id,
    name: "Asking",
    trigger: { type: "http" },
    steps: [{ name: "ask", component_code, props }],
  });
  const refused = await operator.post("/workflows", workflowOf({}));
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain(`an account of ${app} is required`);
});
