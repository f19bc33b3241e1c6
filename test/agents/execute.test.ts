import { expect, test } from "vitest";

import { appProp, newAgent, savedAction } from "../support/agents.ts";
import { signUp } from "../support/client.ts";
import { agentOf } from "../support/mcp.ts";

type Agent = ReturnType<typeof agentOf>;

/** The result of a program. */
async function executed(agent: Agent, code: string, more: object = {}) {
  const { structuredContent, ...refused } = await agent.call("execute", { code, ...more });
  if (!structuredContent) throw new Error(JSON.stringify(refused));
  return structuredContent.untrusted_content;
}

/** The function of a GitHub action. */
async function functionOf(agent: Agent, action: string): Promise<string> {
  const { structuredContent } = await agent.call("describe", { action });
  return structuredContent.untrusted_content.call.replace("(args)", "");
}

test("a program combines actions, and the tool returns its log and its calls", async () => {
  const { customer, agent } = await newAgent();
  const add = await savedAction(customer, {
    props: `${appProp("github")}, a: { type: "integer" }, b: { type: "integer" }`,
    code: `return this.a + this.b;`,
  });
  const call = await functionOf(agent, add);
  const program = `let sum = 0;
    for (const n of [1, 2, 3]) sum = await ${call}({ a: sum, b: n });
    console.log("sum", sum); console.error("done");
    return { sum, again: await run("${add}", { a: sum, b: 1 }) };`;
  expect(await executed(agent, program)).toEqual({
    result: { sum: 6, again: 7 },
    logs: [
      { level: "info", message: "sum 6" },
      { level: "error", message: "done" },
    ],
    calls: [
      { action: add, args: { a: 0, b: 1 }, outcome: "done" },
      { action: add, args: { a: 1, b: 2 }, outcome: "done" },
      { action: add, args: { a: 3, b: 3 }, outcome: "done" },
      { action: add, args: { a: 6, b: 1 }, outcome: "done" },
    ],
  });
});

test.for([
  `async () => 42`,
  `async (apps) => { return 42; };`,
  `async function main() { return 42 }`,
  `const answer = 42; return answer;`,
  `// the answer\nreturn 42 // it is`,
])("a program is a function or the statements of one: %s", async (code) => {
  const ada = await signUp();
  expect(await executed(agentOf(ada.user.api_key), code)).toMatchObject({ result: 42 });
});

test("a failing action throws in the program, which may catch the error", async () => {
  const ada = await signUp();
  const key = await savedAction({ ada }, { code: `throw new RangeError("too far");` });
  const agent = agentOf(ada.user.api_key);
  const caught = `try { await run("${key}"); } catch (error) { return [error.message, error.code]; }`;
  expect(await executed(agent, caught)).toMatchObject({
    result: [`${key}: RangeError: too far`, "hook_failed"],
    calls: [{ action: key, outcome: "failed", error: `${key}: RangeError: too far` }],
  });
  expect(await executed(agent, `await run("${key}");`)).toMatchObject({
    result: null,
    error: { name: "Error", message: `${key}: RangeError: too far` },
  });
  expect(await executed(agent, `await run("no-such");`)).toMatchObject({
    error: { message: "action: there is no action no-such: search finds the keys of actions" },
  });
  expect(await executed(agent, `await apps.github.noSuch();`)).toMatchObject({
    error: { message: "There is no action noSuch of github" },
  });
  expect(await executed(agent, `const a = 1;\nreturn (;`)).toMatchObject({
    error: { name: "SyntaxError", message: "Unexpected token ';' (line 2)" },
  });
});

test("a dry run lists the actions, and runs none", async () => {
  const { customer, agent } = await newAgent();
  const key = await savedAction(customer, {
    props: `${appProp("github")}, text: { type: "string" }`,
    code: `throw new Error("it ran");`,
  });
  const call = await functionOf(agent, key);
  const code = `const issues = await ${call}({ text: "list" });
    for (const issue of issues) await ${call}({ text: issue.title });
    const made = await ${call}({ text: "make" });
    await ${call}({ text: \`about \${made.id}\` }).catch(() => {});
    await ${call}({ text: 5 }).catch(() => {});
    return made;`;
  expect(await executed(agent, code, { dry_run: true })).toMatchObject({
    result: `<result of ${key}>`,
    calls: [
      { args: { text: "list" }, outcome: "would run" },
      { args: { text: "make" }, outcome: "would run" },
      { args: { text: `about <result of ${key}.id>` }, outcome: "would run" },
      { args: { text: 5 }, outcome: "failed", error: "args.text: must be a string" },
    ],
  });
});

test("a program has limits for its calls, its result, and its length", async () => {
  const ada = await signUp();
  const agent = agentOf(ada.user.api_key);
  const many = `let n = 0; for (; n < 200; n += 1) { try { await run("no-such") } catch (e) { if (e.code !== "not_found") return [n, e.message] } }`;
  expect(await executed(agent, many)).toMatchObject({
    result: [100, "A program may run at most 100 actions"],
  });
  expect(await executed(agent, `return "x".repeat(300_000)`)).toMatchObject({
    result: null,
    error: { message: expect.stringContaining("262144 are allowed") },
  });
  const wide = `const text = "x".repeat(200_000); await run("no-such", { text }).catch(() => {});
    await run("no-such", { text }).catch(() => {}); await run("no-such", { ["k".repeat(5000)]: 1 }).catch(() => {});`;
  const { calls } = await executed(agent, wide);
  expect(calls.map(({ args }: { args?: object }) => args !== undefined)).toEqual([
    true,
    false,
    false,
  ]);
  const long = await agent.call("execute", { code: " ".repeat(65_537) });
  expect(long.content[0].text).toContain("code: ");
});
