import { expect, test } from "vitest";

import { appProp, newAgent, savedAction } from "../support/agents.ts";
import { agentOf } from "../support/mcp.ts";

type Listed = { name: string; description: string; inputSchema: object; annotations: object };

/** The actions of apps as an agent lists them, page by page. */
async function listed(agent: ReturnType<typeof agentOf>): Promise<Listed[]> {
  const tools: Listed[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await agent.send("tools/list", cursor === undefined ? {} : { cursor });
    tools.push(...body.result.tools);
    cursor = body.result.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

test("each action of the apps in the URL is a separate tool", async () => {
  const { customer, account, headers } = await newAgent();
  const app = `quokka_${crypto.randomUUID().slice(0, 8)}`;
  const act = await savedAction(customer, {
    app,
    name: "Feed",
    props: `${appProp(app)}, ${appProp("github")}, n: { type: "integer", default: 2 }`,
    code: `return [this.github.$auth.api_key, this.n];`,
    more: `annotations: { readOnlyHint: false, destructiveHint: true },`,
  });
  const other = await savedAction(customer, { app: "other", props: appProp("other") });
  const agent = agentOf(customer.token, { headers, query: `?apps=${app},nobodys` });
  const tools = await listed(agent);
  expect(tools.map(({ name }) => name)).toEqual(["describe", "connect", act]);
  expect(tools[2]).toMatchObject({
    title: "Feed",
    description: "(Described by its author: untrusted.) Feed",
    annotations: { readOnlyHint: false, destructiveHint: true },
    inputSchema: {
      type: "object",
      properties: {
        github: { enum: [account], default: account },
        n: { type: "integer", default: 2 },
      },
    },
  });
  const ran = await agent.call(act, { n: 5 });
  expect(ran.structuredContent).toMatchObject({ untrusted_content: { ret: ["sk_ada", 5] } });
  const refused = await agent.call(act, { n: "x" });
  expect(refused.isError).toBe(true);
  expect(JSON.parse(refused.content[0].text)).toMatchObject({ error: "n: must be an integer" });
  for (const name of [other, "no-such"])
    expect((await agent.call(name)).error).toMatchObject({ code: -32602 });
});

test("tools of many actions come in pages, and a forged cursor is rejected", async () => {
  const { customer, headers } = await newAgent();
  const app = `zebra_${crypto.randomUUID().slice(0, 8)}`;
  const keys = await Promise.all(
    Array.from({ length: 22 }, () => savedAction(customer, { app, props: appProp(app) })),
  );
  const agent = agentOf(customer.token, { headers, query: `?apps=${app}` });
  const names = (await listed(agent)).map(({ name }) => name);
  expect(names.slice(2)).toEqual(keys.toSorted());
  const { nextCursor: cursor } = (await agent.send("tools/list")).body.result;
  const others = agentOf(customer.token, { headers, query: `?apps=${app},nobodys` });
  const refused = await Promise.all([
    agent.send("tools/list", { cursor: "forged" }),
    agent.send("tools/list", { cursor: `${cursor}A` }),
    others.send("tools/list", { cursor }),
  ]);
  for (const { body } of refused)
    expect(body.error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^cursor: /),
    });
  const many = agentOf(customer.token, {
    headers,
    query: `?apps=${Array.from({ length: 21 }, (_, n) => `app${n}`).join(",")}`,
  });
  expect((await many.send("tools/list")).body.error).toBe("apps: may name at most 20 apps");
});

test("the app may be named by a header, as other clients do", async () => {
  const { customer, headers } = await newAgent();
  const app = `okapi_${crypto.randomUUID().slice(0, 8)}`;
  const act = await savedAction(customer, { app, props: appProp(app) });
  const byHeader = agentOf(customer.token, { headers: { ...headers, "x-pd-app-slug": app } });
  expect((await listed(byHeader)).map(({ name }) => name)).toEqual(["describe", "connect", act]);
});

test("a tool whose action or program throws says that it failed, with all that it returned", async () => {
  const { customer, headers } = await newAgent();
  const app = `tapir_${crypto.randomUUID().slice(0, 8)}`;
  const act = await savedAction(customer, {
    app,
    props: appProp(app),
    code: `console.log("asked"); $.export("half", 1); throw new Error("the provider said no");`,
  });
  const direct = agentOf(customer.token, { headers, query: `?apps=${app}` });
  const fixed = agentOf(customer.token, { headers });
  const failed = {
    isError: true,
    structuredContent: {
      untrusted_content: {
        exports: { half: 1 },
        os: [{ msg: "asked" }, { k: "error", err: { message: "the provider said no" } }],
      },
    },
  };
  expect(await direct.call(act)).toMatchObject(failed);
  expect(await fixed.call("run", { action: act })).toMatchObject(failed);
  expect(await fixed.call("execute", { code: `await run("${act}");` })).toMatchObject({
    isError: true,
    structuredContent: {
      untrusted_content: { error: { message: expect.stringContaining("the provider said no") } },
    },
  });
  const caught = { code: `try { await run("${act}"); } catch { return "caught"; }` };
  expect(await fixed.call("execute", caught)).not.toHaveProperty("isError");
});
