import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { deployed, newAccount } from "../support/accounts.ts";
import { operator, signUp, workspaceOf } from "../support/client.ts";
import { send } from "../support/deploy.ts";

const SECRET = "sk_live_for_one_component_only";

const GITHUB = `{
  type: "app",
  app: "github",
  methods: {
    header() { return "token " + this.$auth.api_key; },
    detached() { return [1].map(this.header)[0]; },
  },
}`;

/** Emits its account's values in each of its hooks and runs. */
const SEEING = `
  const github = ${GITHUB};
  export default {
    name: "seeing", version: "0.0.1",
    props: { github: { ...github, optional: true }, http: "$.interface.http", db: "$.service.db" },
    hooks: {
      async deploy() { this.$emit({ deploy: this.github.header() }); },
      async activate() { this.$emit({ activate: this.github.$auth.api_key }); },
      async deactivate() { this.$emit({ deactivate: this.github.$auth.api_key }); },
    },
    async run() {
      const { github: { header } } = this;
      this.$emit({ $auth: this.github.$auth, header: header(), detached: this.github.detached() });
    },
  };`;

test("hooks and runs of a component see the credentials of its account", async () => {
  const ada = await signUp();
  const account = await newAccount(ada.user.id, { credentials: { api_key: SECRET, site: 7 } });
  const source = await deployed(ada, SEEING, { github: { authProvisionId: account } });
  expect(source.configured.github).toEqual({ authProvisionId: account });
  const header = `token ${SECRET}`;
  expect(await source.run()).toEqual({
    $auth: { api_key: SECRET, site: 7 },
    header,
    detached: header,
  });
  await ada.put(`/sources/${source.id}`, { active: false });
  const { body } = await ada.get(`/sources/${source.id}/event_summaries?expand=event`);
  expect(body.data.map(({ event }: { event: unknown }) => event).toReversed()).toEqual([
    { deploy: header },
    { activate: SECRET },
    expect.anything(),
    { deactivate: SECRET },
  ]);
});

test("options and additionalProps see the credentials", async () => {
  const ada = await signUp();
  const account = await newAccount(ada.user.id, { credentials: { api_key: SECRET } });
  const github = { authProvisionId: account };
  const { body } = await ada.post("/components", {
    component_code: `
      const github = {
        type: "app", app: "github",
        propDefinitions: {
          repo: { type: "string", async options() { return [this.$auth.api_key]; } },
        },
        methods: {},
      };
      export default {
        name: "asked", version: "0.0.1",
        props: {
          github,
          repo: { propDefinition: [github, "repo"] },
          own: { type: "string", options() { return [this.github.$auth.api_key]; } },
        },
        additionalProps() { return { [this.github.$auth.api_key]: { type: "string" } }; },
        run() {},
      };`,
  });
  const base = `/components/${body.data.id}`;
  for (const prop_name of ["repo", "own"]) {
    const query = { prop_name, configured_props: { github } };
    const { body: answer } = await ada.post(`${base}/options`, query);
    expect(answer.data.options).toEqual([{ label: SECRET, value: SECRET }]);
  }
  const reloaded = await ada.post(`${base}/props`, { configured_props: { github } });
  expect(reloaded.body.data.configurable_props).toContainEqual({ name: SECRET, type: "string" });
});

test("two props of one app have one account each, and a prop without an account sees none", async () => {
  const ada = await signUp();
  const [one, two] = [
    await newAccount(ada.user.id, { credentials: { api_key: "one" } }),
    await newAccount(ada.user.id, { credentials: { api_key: "two" } }),
  ];
  const source = await deployed(
    ada,
    `const github = ${GITHUB};
     export default {
       name: "twofold", version: "0.0.1",
       props: { from: github, to: { ...github, label: "To" }, none: { ...github, optional: true }, http: "$.interface.http" },
       run() {
         const { from, to, none } = this;
         this.$emit([from.header(), to.header(), none.$auth, to.label, from.label ?? null]);
       },
     };`,
    { from: { authProvisionId: one }, to: { authProvisionId: two } },
  );
  expect(await source.run()).toEqual(["token one", "token two", {}, "To", null]);
});

test("a component without an account sees no credentials", async () => {
  const ada = await signUp();
  const account = await newAccount(ada.user.id, { credentials: { api_key: SECRET } });
  const given = await deployed(ada, SEEING, { github: { authProvisionId: account } });
  expect(JSON.stringify(await given.run())).toContain(SECRET);
  // The same code of the same owner, so the same isolate; then other code that searches everywhere.
  const bare = await deployed(ada, SEEING);
  expect(await bare.run()).toMatchObject({ $auth: {} });
  const curious = await deployed(
    ada,
    `export default {
       name: "curious", version: "0.0.1",
       props: { http: "$.interface.http", github: { type: "any", optional: true } },
       run() { this.$emit([this, process.env, Object.keys(globalThis)]); },
     };`,
    { github: { authProvisionId: account } },
  );
  expect(JSON.stringify(await curious.run())).not.toContain(SECRET);
});

test("an account is for components of its owner alone", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada);
  const account = await newAccount(ada.user.id, { credentials: { api_key: SECRET } });
  const shared = await newAccount(workspace);
  const missing =
    "configured_props.github.authProvisionId: there is no such account that belongs to the owner of the component";
  for (const [client, authProvisionId] of [
    [eve, account],
    [ada, shared],
    [ada, "apn_nobody"],
  ] as const) {
    const configured_props = { github: { authProvisionId } };
    const component = await client.post("/components", { component_code: SEEING });
    for (const answer of [
      await client.post("/sources", { component_code: SEEING, configured_props }),
      await client.post("/sources", { component_id: component.body.data.id, configured_props }),
    ])
      expect(answer).toMatchObject({ status: 400, body: { error: missing } });
  }
  expect((await eve.get("/users/me/sources")).body.data).toEqual([]);
  const stub = env.ACCOUNTS.getByName(account);
  expect(await stub.credentials(eve.user.id)).toEqual({
    ok: false,
    reason: "its account was deleted",
  });
  expect(await stub.credentials(ada.user.id)).toMatchObject({ ok: true });
});

test("rejects an account of another app than the prop's", async () => {
  const ada = await signUp();
  const account = await newAccount(ada.user.id, { app: "slack" });
  expect(
    await ada.post("/sources", {
      component_code: SEEING,
      configured_props: { github: { authProvisionId: account } },
    }),
  ).toMatchObject({
    status: 400,
    body: {
      error:
        "configured_props.github.authProvisionId: must be an account for github, not for slack",
    },
  });
});

test("an update cannot pass a stored account to a prop of another app", async () => {
  const ada = await signUp();
  const github = { authProvisionId: await newAccount(ada.user.id) };
  const source = await deployed(ada, SEEING, { github });
  const component_code = SEEING.replace('app: "github"', 'app: "gitlab"');
  expect(await ada.put(`/sources/${source.id}`, { component_code })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("must be an account for gitlab, not for github") },
  });
  expect(await source.run()).toMatchObject({ $auth: { api_key: "sk_ada" } });
});

test("runs fail with an account error after its deletion, and the source can be switched off", async () => {
  const ada = await signUp();
  const account = await newAccount(ada.user.id);
  const source = await deployed(ada, SEEING, { github: { authProvisionId: account } });
  await operator.delete(`/accounts/${account}`);
  await evictDurableObject(env.SOURCES.getByName(source.id));
  await source.run({ id: 1 });
  expect(await source.latest("$errors")).toMatchObject({
    error: { code: "AccountError", stack: expect.any(String) },
    original_event: { body: { id: 1 } },
  });
  expect(JSON.stringify(await source.latest("$errors"))).toContain(
    "github: its account was deleted",
  );
  expect(await ada.put(`/sources/${source.id}`, { active: false })).toMatchObject({ status: 200 });
  expect(await ada.delete(`/sources/${source.id}`)).toMatchObject({ status: 204 });
});

test("new credentials reach a source that was deployed with the old ones", async () => {
  const ada = await signUp();
  const account = await newAccount(ada.user.id, { credentials: { api_key: "old", site: 1 } });
  const source = await deployed(ada, SEEING, { github: { authProvisionId: account } });
  await operator.put(`/accounts/${account}`, { credentials: { api_key: "new" } });
  await evictDurableObject(env.SOURCES.getByName(source.id));
  expect(await source.run()).toMatchObject({ $auth: { api_key: "new" }, header: "token new" });
});

test("an endpoint with customResponse does not respond without its account", async () => {
  const ada = await signUp();
  const account = await newAccount(ada.user.id);
  const code = SEEING.replace(
    '"$.interface.http"',
    '{ type: "$.interface.http", customResponse: true }',
  );
  const source = await deployed(ada, code, { github: { authProvisionId: account } });
  await operator.delete(`/accounts/${account}`);
  await evictDurableObject(env.SOURCES.getByName(source.id));
  expect((await send(source.configured.http.endpoint_url)).status).toBe(502);
});
