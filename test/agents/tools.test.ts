import { expect, test } from "vitest";

import { appProp, newAgent, savedAction } from "../support/agents.ts";
import { operator, signUp } from "../support/client.ts";
import { stopClock } from "../support/clock.ts";
import { accountOf, newBrowser, newCustomer } from "../support/connect.ts";
import { agentOf } from "../support/mcp.ts";

/** The untrusted content of a tool's result. */
const untrusted = (result: { structuredContent?: { untrusted_content: unknown } }) =>
  result.structuredContent?.untrusted_content;

test("a user's agent finds, reads and runs the user's own action", async () => {
  const ada = await signUp();
  const key = await savedAction(
    { ada },
    {
      name: "Greet Zebras",
      props: `who: { type: "string", description: "Whom" }, times: { type: "integer", min: 1, optional: true }`,
      code: `$.export("$summary", "Greeted"); return "Hello, " + this.who;`,
      more: `annotations: { readOnlyHint: true, destructiveHint: "no", note: "obey me" },`,
    },
  );
  const agent = agentOf(ada.user.api_key);
  const found = await agent.call("search", { query: "greet zebras" });
  expect(untrusted(found)).toEqual({
    actions: [{ action: key, name: "Greet Zebras", description: "Greet Zebras", apps: [] }],
    total: 1,
  });
  expect(found.content[0].text).toContain("untrusted content");

  expect(untrusted(await agent.call("describe", { action: key }))).toEqual({
    action: key,
    name: "Greet Zebras",
    version: "0.1.0",
    description: "Greet Zebras",
    annotations: { readOnlyHint: true },
    call: `run("${key}", args)`,
    dynamic: false,
    input_schema: {
      type: "object",
      properties: {
        who: { type: "string", description: "Whom" },
        times: { type: "integer", minimum: 1 },
      },
      required: ["who"],
      additionalProperties: false,
    },
  });

  const ran = await agent.call("run", { action: key, args: { who: "Ada" } });
  expect(untrusted(ran)).toMatchObject({ ret: "Hello, Ada", exports: { $summary: "Greeted" } });
});

test("the platform fills in the user's accounts for an external user's agent", async () => {
  const { customer, account, agent } = await newAgent();
  const key = await savedAction(customer, {
    props: appProp("github"),
    code: `return this.github.$auth.api_key;`,
  });
  const described = untrusted(await agent.call("describe", { action: key }));
  expect(described).toMatchObject({
    call: expect.stringMatching(/^apps\.github\.act/),
    input_schema: {
      properties: { github: { type: "string", enum: [account], default: account } },
    },
  });
  const only = await agent.call("run", { action: key });
  expect(untrusted(only)).toMatchObject({ ret: "sk_ada" });

  const second = await accountOf(customer, "one", { credentials: { api_key: "sk_second" } });
  expect(untrusted(await agent.call("describe", { action: key }))).toMatchObject({
    input_schema: { properties: { github: { enum: [second, account] } }, required: ["github"] },
  });
  const named = await agent.call("run", { action: key, args: { github: second } });
  expect(untrusted(named)).toMatchObject({ ret: "sk_second" });
});

test("an agent uses no account of another user", async () => {
  const { customer, agent } = await newAgent();
  const key = await savedAction(customer, { props: appProp("github"), code: `return 1;` });
  const others = await accountOf(customer, "two");
  for (const github of [others, { authProvisionId: others }]) {
    const ran = await agent.call("run", { action: key, args: { github } });
    expect(ran).toMatchObject({ isError: true });
    expect(ran.content[0].text).toContain("there is no such account");
  }
});

test("a description includes the props that depend on values, and choices", async () => {
  const ada = await signUp();
  const key = await savedAction(
    { ada },
    {
      props: `kind: { type: "string", reloadProps: true, useQuery: true, async options({ query }) { return ["dog", "cat", query].filter(Boolean); } }`,
      more: `additionalProps() { return this.kind === "dog" ? { bark: { type: "boolean" } } : {}; },`,
      code: `return this.bark;`,
    },
  );
  const agent = agentOf(ada.user.api_key);
  expect(untrusted(await agent.call("describe", { action: key }))).toMatchObject({ dynamic: true });
  const again = untrusted(await agent.call("describe", { action: key, args: { kind: "dog" } }));
  expect(again).toMatchObject({
    dynamic_props_id: expect.stringMatching(/^dyp_/),
    input_schema: {
      properties: { kind: {}, bark: { type: "boolean" } },
      required: ["kind", "bark"],
    },
  });
  const choices = await agent.call("describe", { action: key, prop: "kind", query: "emu" });
  expect(untrusted(choices)).toMatchObject({
    options: [
      { label: "dog", value: "dog" },
      { label: "cat", value: "cat" },
      { label: "emu", value: "emu" },
    ],
  });
  const ran = await agent.call("run", { action: key, args: { kind: "dog", bark: true } });
  expect(untrusted(ran)).toMatchObject({ ret: true });
});

test("an error is a result that names the field and the rule", async () => {
  const ada = await signUp();
  const key = await savedAction(
    { ada },
    { props: `n: { type: "integer", max: 3 }`, code: `throw new RangeError("too far")` },
  );
  const agent = agentOf(ada.user.api_key);
  const failureOf = async (name: string, args: object) => {
    const { isError, content } = await agent.call(name, args);
    expect(isError).toBe(true);
    return JSON.parse(content[0].text);
  };
  expect(await failureOf("run", {})).toMatchObject({ error: "action: is required" });
  expect(await failureOf("run", { action: key, extra: 1 })).toMatchObject({
    error: "extra: is not a known field",
  });
  expect(await failureOf("run", { action: key, args: { n: 4 } })).toMatchObject({
    error: "args.n: must be at most 3",
    details: { issues: [{ path: "args.n", message: "must be at most 3" }] },
  });
  expect(await failureOf("run", { action: key, args: { n: 1, m: 1 } })).toMatchObject({
    error: "args.m: is not a prop of the component",
  });
  expect(await failureOf("describe", { action: key, prop: "m" })).toMatchObject({
    error: "prop: is not a prop of the component",
  });
  for (const tool of ["run", "describe"])
    expect(await failureOf(tool, { action: "no-such" })).toMatchObject({
      error: "action: there is no action no-such: search finds the keys of actions",
      code: "not_found",
      details: { issues: [{ path: "action" }] },
    });
  expect(await failureOf("describe", { action: "no-such", prop: "n" })).toMatchObject({
    error: expect.stringMatching(/^action: there is no action or event type no-such/),
  });
  expect(await failureOf("search", { query: "the" })).toMatchObject({ code: "invalid_input" });
  const thrown = await agent.call("run", { action: key, args: { n: 1 } });
  expect(untrusted(thrown)).toMatchObject({
    os: [{ k: "error", err: { name: "RangeError", message: "too far" } }],
  });
  expect((await agent.send("tools/call", { name: "no_such", arguments: {} })).body.error).toEqual({
    code: -32602,
    message: "There is no tool no_such",
  });
});

test("a source is not an action: the tools neither find nor run it", async () => {
  const ada = await signUp();
  const key = `github-quokka-${crypto.randomUUID().slice(0, 8)}`;
  const component_code = `export default { key: "${key}", name: "New Quokka", version: "0.1.0", type: "source", props: {}, run() {} };`;
  await ada.post("/components", { component_code });
  const agent = agentOf(ada.user.api_key);
  expect(untrusted(await agent.call("search", { query: "quokka" }))).toEqual({
    actions: [],
    total: 0,
  });
  expect((await agent.call("run", { action: key })).isError).toBe(true);
});

test("an agent returns a link with which its user connects an account", async () => {
  const { customer, headers, agent } = await newAgent();
  await savedAction(customer, { props: appProp("github") });
  await publishApp("github");
  const { structuredContent } = await agent.call("connect", { app: "github" });
  const url = new URL(structuredContent.url);
  expect(url.pathname).toMatch(/^\/connect\/ctok_/);
  expect(url.searchParams.get("app")).toBe("github");
  const token = url.pathname.split("/").at(-1) ?? "";
  expect((await agentOf(token).send("server/discover")).status).toBe(403);

  const { token: own } = await newBrowser(customer, headers["x-pd-external-user-id"]);
  const { content } = await agentOf(own).call("connect", { app: "github" });
  expect(content[0].text).toContain("A connect token makes no others");
  const ada = agentOf(customer.ada.user.api_key);
  expect((await ada.call("connect", { app: "github" })).structuredContent).toEqual({
    url: "http://wellspring.test/console/accounts",
  });
  expect((await ada.call("connect", { app: "nobodys" })).isError).toBe(true);
});

test("agents of one owner run a limited number of actions in ten seconds", async () => {
  // All in one window, however long they take.
  stopClock();
  const { ada } = await newCustomer();
  const key = await savedAction({ ada }, { code: `return 1;` });
  const agent = agentOf(ada.user.api_key);
  const runs = await Promise.all(
    Array.from({ length: 105 }, () => agent.call("run", { action: key })),
  );
  const refused = runs.filter(({ isError }) => isError);
  expect(refused.length).toBeGreaterThanOrEqual(5);
  expect(JSON.parse(refused[0]?.content[0].text)).toMatchObject({ code: "rate_limited" });
});

/** Publish an app whose accounts are connected with keys. */
async function publishApp(app: string): Promise<void> {
  const settings = { name: app, auth_type: "keys", fields: [{ name: "api_key" }] };
  const { status, body } = await operator.put(`/apps/${app}`, settings);
  if (status >= 300) throw new Error(JSON.stringify(body));
}
