// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { deleteExpiredAgentTokens } from "#db/agent-grants.ts";
import { connect } from "#db/client.ts";

import { appProp, savedAction } from "../support/agents.ts";
import { operator, signUp, workspaceOf } from "../support/client.ts";
import { accountOf, newCustomer } from "../support/connect.ts";
import { KEPT, sweepAway, tracesOf } from "../support/departures.ts";
import { agentOf } from "../support/mcp.ts";

const made = async (ada: Awaited<ReturnType<typeof signUp>>, input: object) => {
  const { status, body } = await ada.post("/agent_keys", { name: "Robot", ...input });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data;
};

test("a key with the scope read alone never acts, by any tool", async () => {
  const ada = await signUp();
  const { agent_key: key } = await made(ada, { scope: "read" });
  const action = await savedAction({ ada }, { code: `return 1;` });
  const agent = agentOf(key);
  expect((await agent.call("search", { query: "act" })).status).toBe(200);
  for (const [name, args] of [
    ["run", { action }],
    ["execute", { code: `return run("${action}")` }],
    ["execute", { code: `return 1`, dry_run: true }],
    ["connect", { app: "github" }],
  ] as const)
    expect([name, (await agent.call(name, args)).status]).toEqual([name, 403]);
  const direct = agentOf(key, { query: "?apps=github" });
  const own = await savedAction({ ada }, { props: appProp("github"), code: `return 1;` });
  expect((await direct.call(own)).status).toBe(403);
});

test("a key for one account uses no other one, even if an action's code requests it", async () => {
  const customer = await newCustomer();
  const [one, other] = [await accountOf(customer, "one"), await accountOf(customer, "one")];
  const { agent_key: key } = await made(customer.ada, {
    scope: `read act account:${one}`,
    project_id: customer.project,
    external_user_id: "one",
  });
  const agent = agentOf(key);
  const plain = await savedAction(customer, { props: appProp("github"), code: `return 1;` });
  const described = await agent.call("describe", { action: plain });
  expect(described.structuredContent.untrusted_content.input_schema.properties.github.enum).toEqual(
    [one],
  );
  expect((await agent.call("run", { action: plain })).isError).toBeUndefined();
  expect((await agent.call("run", { action: plain, args: { github: other } })).status).toBe(403);

  const greedy = `{ type: "app", app: "github", default: { authProvisionId: "${other}" } }`;
  const byDefault = await savedAction(customer, {
    props: `mine: { type: "app", app: "github" }, theirs: ${greedy}`,
    code: `return this.theirs.$auth.api_key;`,
  });
  const explicit = { mine: one, theirs: { authProvisionId: other } };
  expect((await agent.call("run", { action: byDefault, args: explicit })).status).toBe(403);
  const added = await savedAction(customer, {
    props: `mine: { type: "app", app: "github", reloadProps: true }`,
    more: `additionalProps() { return { theirs: ${greedy} }; },`,
    code: `return this.theirs.$auth.api_key;`,
  });
  expect((await agent.call("run", { action: added, args: { mine: one } })).status).toBe(403);
  const program = `return await run("${added}", { mine: "${one}" })`;
  const executed = await agent.call("execute", { code: program });
  expect(executed.structuredContent.untrusted_content).toMatchObject({
    result: null,
    error: { message: expect.stringContaining("lacks the scope") },
  });
});

test("only their creator lists and revokes keys", async () => {
  const [ada, bob] = [await signUp(), await signUp()];
  const { agent_key: key, ...shown } = await made(ada, { scope: "act read" });
  expect(shown).toMatchObject({ name: "Robot", kind: "key", scope: "read act" });
  expect((await ada.get("/agent_keys")).body.data).toEqual([shown]);
  expect((await bob.get("/agent_keys")).body.data).toEqual([]);
  expect((await bob.delete(`/agent_keys/${shown.id}`)).status).toBe(404);
  expect((await agentOf(key).send("server/discover")).status).toBe(200);
  expect((await ada.delete(`/agent_keys/${shown.id}`)).status).toBe(204);
  expect((await agentOf(key).send("server/discover")).status).toBe(401);
});

test("a key for a workspace ends with its creator's membership", async () => {
  const [ada, bob] = [await signUp(), await signUp()];
  const workspace_id = await workspaceOf(ada, bob);
  const { agent_key: key, owner_id } = await made(ada, { scope: "read", workspace_id });
  expect(owner_id).toBe(workspace_id);
  expect((await agentOf(key).send("server/discover")).status).toBe(200);
  await operator.delete(`/workspaces/${workspace_id}/members/${ada.user.id}`);
  expect((await agentOf(key).send("server/discover")).status).toBe(404);
});

test.for([
  [{ scope: "all" }, "scope: must name read, act or subscribe"],
  [{ scope: "app:slack" }, "scope: must name read, act or subscribe"],
  [{ scope: "read", project_id: "proj_x" }, "external_user_id: is required"],
  [{ scope: "read", external_user_id: "one" }, "project_id: is required"],
] as const)("rejects a key with %j", async ([input, error]) => {
  const ada = await signUp();
  const { status, body } = await ada.post("/agent_keys", { name: "Robot", ...input });
  expect([status, body.error]).toEqual([400, expect.stringContaining(error)]);
});

test("deleting a user deletes the keys, and expired tokens are deleted with their grants", async () => {
  const ada = await signUp();
  const { id } = await made(ada, { scope: "read" });
  expect(Object.keys(await tracesOf(id))).toEqual(["agent_grants", "agent_tokens"]);
  await deleteExpiredAgentTokens(connect(env.DB), Math.floor(Date.now() / 1000));
  expect(Object.keys(await tracesOf(id))).toEqual(["agent_grants", "agent_tokens"]);
  await operator.delete(`/users/${ada.user.id}?force=true`);
  await sweepAway(ada.user.id);
  expect(await tracesOf(id)).toEqual({});
  const left = Object.keys(await tracesOf(ada.user.id)).filter((name) => !KEPT.has(name));
  expect(left).toEqual([]);
});
