// @suites loader

import { expect, test } from "vitest";

import { deployed, newAccount } from "../support/accounts.ts";
import { signUp } from "../support/client.ts";

/** A typical app: definitions that refer to one another, and methods that call one another. */
const CARGO = `{
  type: "app",
  app: "cargo",
  propDefinitions: {
    port: {
      type: "string", label: "Port", description: "Where ships lie", optional: true,
      async options({ page, country = "anywhere" }) { return [this.list("ports", country, page)]; },
    },
    dock: {
      type: "string", label: "Dock",
      options({ port, query }) { return [this.list("docks", port, query ?? "all")]; },
      useQuery: true,
    },
    computed: { type: "integer", label: "At load", default: [1, 2, 3].length },
    timer: { type: "$.interface.timer", default: { intervalSeconds: 900 } },
    http: { type: "$.interface.http", customResponse: true },
    db: "$.service.db",
    token: { type: "string", secret: true, label: "Token" },
  },
  methods: {
    key() { return this.$auth.api_key; },
    list(...parts) { return [this.key(), ...parts].join("/"); },
  },
}`;

const componentOf = (props: string, rest = "run() {}") => `
  const cargo = ${CARGO};
  export default { name: "cargo ship", version: "0.0.1", props: { ${props} }, ${rest} };`;

test("a prop gets all fields of its propDefinition, and its own fields override them", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/components", {
    component_code: componentOf(`
      cargo,
      port: { propDefinition: [cargo, "port"] },
      home: { propDefinition: [cargo, "port"], label: "Home", optional: false, options: ["a", "b"] },
      ports: { propDefinition: [cargo, "port"], type: "string[]" },
      dock: { propDefinition: [cargo, "dock", (c) => ({ port: c.port })], description: "Berth" },
      count: { propDefinition: [cargo, "computed"] },
      token: { propDefinition: [cargo, "token"] },
    `),
  });
  const port = { type: "string", label: "Port", description: "Where ships lie" };
  expect(body.data.configurable_props).toEqual([
    { name: "cargo", type: "app", app: "cargo", auth: ["api_key"] },
    { name: "port", ...port, optional: true, remoteOptions: true },
    { name: "home", ...port, label: "Home", optional: false, options: ["a", "b"] },
    { name: "ports", ...port, type: "string[]", optional: true, remoteOptions: true },
    {
      name: "dock",
      type: "string",
      label: "Dock",
      description: "Berth",
      remoteOptions: true,
      useQuery: true,
    },
    { name: "count", type: "integer", label: "At load", default: 3 },
    { name: "token", type: "string", secret: true, label: "Token" },
  ]);
});

test("the inputs of a propDefinition are an object, or are computed from the props configured before", async () => {
  const ada = await signUp();
  const account = await newAccount(ada.user.id, { app: "cargo", credentials: { api_key: "k" } });
  const { body } = await ada.post("/components", {
    component_code: componentOf(`
      cargo,
      port: { propDefinition: [cargo, "port"] },
      far: { propDefinition: [cargo, "port", { country: "NZ" }] },
      dock: { propDefinition: [cargo, "dock", ({ port }) => ({ port })] },
      other: { propDefinition: [cargo, "dock", function () { return { port: this.cargo.key() }; }] },
    `),
  });
  const options = async (prop_name: string, query?: string) => {
    const answer = await ada.post(`/components/${body.data.id}/options`, {
      prop_name,
      configured_props: { cargo: { authProvisionId: account }, port: "Oslo" },
      ...(query !== undefined && { query }),
    });
    return answer.body.data.options.map(({ value }: { value: string }) => value);
  };
  expect(await options("port")).toEqual(["k/ports/anywhere/0"]);
  expect(await options("far")).toEqual(["k/ports/NZ/0"]);
  expect(await options("dock", "north")).toEqual(["k/docks/Oslo/north"]);
  expect(await options("other")).toEqual(["k/docks/k/all"]);
});

test("interfaces, the db and secrets may be props of a propDefinition", async () => {
  const ada = await signUp();
  const source = await deployed(
    ada,
    componentOf(
      `cargo: { ...cargo, optional: true },
       every: { propDefinition: [cargo, "timer"] },
       daily: { propDefinition: [cargo, "timer"], default: { cron: "0 0 * * *" } },
       http: { propDefinition: [cargo, "http"] },
       db: { propDefinition: [cargo, "db"] },
       token: { propDefinition: [cargo, "token"] },`,
      `run() {
        this.db.set("count", (this.db.get("count") ?? 0) + 1);
        this.http.respond({ status: 202 });
        this.$emit([this.db.get("count"), this.token, this.http.endpoint]);
      }`,
    ),
    { token: "secret" },
  );
  expect(source.configured).toEqual({
    every: { cron: null, interval_seconds: 900 },
    daily: { cron: "0 0 * * *" },
    http: { endpoint_url: expect.stringContaining("/e/") },
  });
  const { endpoint_url: url } = source.configured.http;
  await source.run();
  expect(await source.run()).toEqual([expect.any(Number), "secret", url]);
});

test("a source without run emits the tick of a timer from a propDefinition", async () => {
  const ada = await signUp();
  const component_code = componentOf(
    `cargo: { ...cargo, optional: true }, timer: { propDefinition: [cargo, "timer"] }`,
    "",
  );
  const { body } = await ada.post("/sources", { component_code });
  const path = `/sources/${body.data.id}/event_summaries?expand=event`;
  await expect
    .poll(async () => (await ada.get(path)).body.data.map(({ event }: { event: object }) => event))
    .toEqual([{ timestamp: expect.any(Number), interval_seconds: 900 }]);
});

test("several apps of a component each have their own methods and account", async () => {
  const ada = await signUp();
  const [one, two] = [
    await newAccount(ada.user.id, { app: "cargo", credentials: { api_key: "one" } }),
    await newAccount(ada.user.id, { app: "mail", credentials: { api_key: "two" } }),
  ];
  const source = await deployed(
    ada,
    componentOf(
      `cargo,
       mail: {
         type: "app", app: "mail",
         methods: { key() { return "mail " + this.$auth.api_key; }, send(list) { return list("via", this.key()); } },
       },
       http: "$.interface.http",`,
      `methods: { key() { return "own"; }, all() { return [this.key(), this.cargo.key(), this.mail.key()]; } },
       run() {
         const { cargo: { list }, mail, all } = this;
         this.$emit([all(), mail.send(list), ["x"].map(list)]);
       }`,
    ),
    { cargo: { authProvisionId: one }, mail: { authProvisionId: two } },
  );
  expect(await source.run()).toEqual([
    ["own", "one", "mail two"],
    "one/via/mail two",
    ["one/x/0/x"],
  ]);
});

test("a propDefinition has the methods of its app even if the component has no prop for that app", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/components", {
    component_code: componentOf(`port: { propDefinition: [cargo, "port"] }`),
  });
  const query = { prop_name: "port", configured_props: {} };
  const answer = await ada.post(`/components/${body.data.id}/options`, query);
  expect(answer.body.data.options).toMatchObject([{ value: "/ports/anywhere/0" }]);
});
