// @suites loader

import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";

import { operator } from "../support/client.ts";
import { newCustomer } from "../support/connect.ts";

/** Publish a component whose app reads credentials in `methods`. Returns the app's slug. */
async function publish({
  methods = "",
  run = "",
  more = "",
}: {
  methods?: string;
  run?: string;
  more?: string;
}): Promise<{ app: string; key: string }> {
  const app = `shop_${newToken().toLowerCase()}`;
  const key = `${app}-order`;
  const { status, body } = await operator.post("/registry", {
    component_code: `
      const shop = { type: "app", app: "${app}", methods: { ${methods} } ${more} };
      export default {
        key: "${key}", name: "Order", version: "0.0.1", type: "action",
        props: { shop }, async run() { ${run} },
      };`,
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  return { app, key };
}

async function shown(slug: string) {
  const { connect } = await newCustomer();
  const { body } = await connect.get(`/apps/${slug}`);
  const fields: { name: string; type: string }[] = JSON.parse(body.data.custom_fields_json);
  return {
    type: body.data.auth_type,
    fields: fields.map(({ name, type }) => `${name}: ${type}`).toSorted(),
  };
}

test.for([
  ["its methods", { methods: "key() { return this.$auth.api_key; }" }, ["api_key: password"]],
  [
    "destructuring",
    { methods: "key() { const { host, token: t = 1 } = this.$auth; return [host, t]; }" },
    ["host: string", "token: password"],
  ],
  [
    "quoted names",
    { methods: `key() { return this.$auth?.["sub_domain"]; }` },
    ["sub_domain: string"],
  ],
  [
    "its options",
    {
      more: `, propDefinitions: { a: { type: "string", options() { return [this.$auth.region]; } } }`,
    },
    ["region: string"],
  ],
  ["the component", { run: "return this.shop.$auth.user_name;" }, ["user_name: string"]],
  ["all of it", { run: "return Object.values(this.shop.$auth);" }, []],
] as const)("derives an app's fields from %s", async ([, code, fields]) => {
  const { app } = await publish(code);
  expect(await shown(app)).toEqual({ type: "keys", fields });
});

test("an app with code that reads an access token has a sign-in", async () => {
  const { app } = await publish({
    methods: "headers() { return { authorization: this.$auth.oauth_access_token }; }",
  });
  expect(await shown(app)).toEqual({ type: "oauth", fields: [] });
});

test.for([
  "url() { return 'https://example.com'; }",
  "authKeys() { console.log(Object.keys(this.$auth)); }",
])("an app without code that reads credentials has no fields: %s", async (methods) => {
  const { app } = await publish({ methods });
  expect(await shown(app)).toEqual({ type: "none", fields: [] });
});

test("a new version of a component updates its app's fields", async () => {
  const { app, key } = await publish({ methods: "key() { return this.$auth.api_key; }" });
  await operator.post("/registry", {
    component_code: `export default {
      key: "${key}", name: "Order", version: "0.0.2", type: "action",
      props: { shop: { type: "app", app: "${app}" } }, run() { return this.shop.$auth.token; },
    };`,
  });
  expect(await shown(app)).toEqual({ type: "keys", fields: ["token: password"] });
  const { connect } = await newCustomer();
  const listed = await connect.get(`/apps?q=${app}&has_actions=true`);
  expect(listed.body.data).toHaveLength(1);
  expect((await connect.get(`/apps?q=${app}&has_triggers=true`)).body.data).toEqual([]);
});
