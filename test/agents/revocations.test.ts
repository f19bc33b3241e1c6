// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { allowed } from "../support/agent-oauth.ts";
import { operator, request, signUp, workspaceOf } from "../support/client.ts";
import {
  agentSourcesOf,
  savedSource,
  sourcesOf,
  subscribing,
} from "../support/component-events.ts";
import { newBrowser, newCustomer } from "../support/connect.ts";
import { follow } from "../support/event-streams.ts";
import { agentOf } from "../support/mcp.ts";
import { keyed } from "../support/subscriptions.ts";
import { newReceiver } from "../support/webhook.ts";

/** An agent, the key of a component that it may subscribe to, its owner, and the end of its access. */
type Access = {
  agent: ReturnType<typeof agentOf>;
  key: string;
  owner: () => Promise<string>;
  revoke: () => Promise<{ status: number }>;
};

async function ownKey(): Promise<Access & { token: string }> {
  const ada = await signUp();
  const { data } = (await ada.post("/api_keys", { name: "second" })).body;
  return {
    agent: agentOf(data.api_key),
    token: data.api_key,
    key: await savedSource(ada),
    owner: async () => ada.user.id,
    revoke: () => ada.delete(`/api_keys/${data.id}`),
  };
}

async function authorizedClient(): Promise<Access> {
  const scope = { scope: "read subscribe" };
  const { ada, tokens } = await allowed(["read", "subscribe"], scope);
  const body = new URLSearchParams({ token: tokens.refresh_token }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return {
    agent: agentOf(tokens.access_token),
    key: await savedSource(ada),
    owner: async () => ada.user.id,
    revoke: () => request("POST", "/oauth/revoke", { body, headers }),
  };
}

async function deletedUser(): Promise<Access> {
  const ada = await signUp();
  return {
    agent: (await keyed(ada)).agent,
    key: await savedSource(ada),
    owner: async () => ada.user.id,
    revoke: () => operator.delete(`/users/${ada.user.id}?force=true`),
  };
}

/** Bob's key for agents, or his API key, acts for a workspace with Ada. */
async function formerMember(isKeyed: boolean): Promise<Access> {
  const [ada, bob] = [await signUp(), await signUp()];
  const workspace_id = await workspaceOf(ada, bob);
  const query = `?workspace_id=${workspace_id}`;
  const agent = isKeyed
    ? (await keyed(bob, "read subscribe", { workspace_id })).agent
    : agentOf(bob.user.api_key, { query });
  return {
    agent,
    key: await savedSource({ post: (path, body) => ada.post(`${path}${query}`, body) }),
    owner: async () => workspace_id,
    revoke: () => operator.delete(`/workspaces/${workspace_id}/members/${bob.user.id}`),
  };
}

type Customer = Awaited<ReturnType<typeof newCustomer>>;

async function externalUser(
  tokenOf: (customer: Customer) => Promise<string>,
  revoke: (customer: Customer) => Promise<{ status: number }>,
): Promise<Access & { token: string; customer: Customer }> {
  const customer = await newCustomer();
  const token = await tokenOf(customer);
  const headers = { "x-pd-project-id": customer.project, "x-pd-external-user-id": "one" };
  return {
    agent: agentOf(token, { headers }),
    token,
    customer,
    key: await savedSource(customer.ada),
    owner: async () =>
      (await env.DB.prepare("SELECT id FROM external_users WHERE project_id = ? ORDER BY seq")
        .bind(customer.project)
        .first<string>("id")) ?? "",
    revoke: () => revoke(customer),
  };
}

const byClient = async ({ token }: Customer) => token;
const byConnectToken = async (customer: Customer) => (await newBrowser(customer, "one")).token;
const byOwnersKey = async ({ ada }: Customer): Promise<string> => ada.user.api_key;
const deleteProject = ({ ada, project }: Customer) => ada.delete(`/connect/projects/${project}`);
const deleteOne = ({ server }: Customer) => server.delete("/users/one");

const PATHS: [string, () => Promise<Access>][] = [
  ["an API key", ownKey],
  ["a client that a user authorized", authorizedClient],
  ["a deleted user", deletedUser],
  ["a former member's API key", () => formerMember(false)],
  ["a former member's key for agents", () => formerMember(true)],
  [
    "a client of Connect",
    () =>
      externalUser(byClient, ({ ada, clientId }) =>
        ada.delete(`/connect/oauth_clients/${clientId}`),
      ),
  ],
  ["a connect token of a deleted external user", () => externalUser(byConnectToken, deleteOne)],
  ["an API key for a deleted project", () => externalUser(byOwnersKey, deleteProject)],
];

test.for(PATHS)("the subscriptions by %s end with its access", async ([, access]) => {
  const { agent, key, owner, revoke } = await access();
  const { callback, answer } = await subscribing(agent, key);
  expect(answer.error).toBeUndefined();
  const ownerId = await owner();
  const [source] = await agentSourcesOf(ownerId);
  await source?.emit({ id: 1 });
  await expect.poll(callback.messages).toHaveLength(1);
  expect((await revoke()).status).toBeLessThan(300);
  await source?.emit({ id: 2 });
  await expect.poll(callback.messages).toHaveLength(2);
  const [, last] = await callback.messages();
  expect(last?.body).toMatchObject({ type: "terminated", error: { code: -32024 } });
  for (const method of ["events/poll", "events/stream"]) {
    const { status } = await agent.send(method, { name: key });
    expect([method, status]).toEqual([method, expect.toSatisfy((code) => code >= 400)]);
  }
  await expect.poll(() => sourcesOf(ownerId)).toBe(0);
  const { data } = (await operator.get(`/agent_subscriptions?limit=100`)).body;
  expect(data.map((one: { id: string }) => one.id)).not.toContain(answer.result.id);
});

test("the subscriptions by another key go on, with the source that they share", async () => {
  const { agent, key, owner, revoke } = await ownKey();
  const { data } = (await operator.post(`/users/${await owner()}/api_keys`, {})).body;
  const [first, second] = [
    await subscribing(agent, key),
    await subscribing(agentOf(data.api_key), key),
  ];
  const [source] = await agentSourcesOf(await owner());
  await revoke();
  await source?.emit({ id: 1 });
  await expect.poll(second.callback.messages).toHaveLength(1);
  const [message] = await second.callback.messages();
  expect(message?.body.data).toEqual({ id: 1 });
  const types = async () => (await first.callback.messages()).map(({ body }) => body.type);
  await expect.poll(types).toEqual(["terminated"]);
});

test("a refresh by another key keeps a subscription when the first key is revoked", async () => {
  const { agent, key, owner, revoke } = await ownKey();
  const { data } = (await operator.post(`/users/${await owner()}/api_keys`, {})).body;
  const { callback, secret, answer } = await subscribing(agent, key);
  const refreshed = await agentOf(data.api_key).send("events/subscribe", {
    name: key,
    delivery: { mode: "webhook", url: callback.url, secret },
  });
  expect(refreshed.body.result.id).toBe(answer.result.id);
  await revoke();
  const [source] = await agentSourcesOf(await owner());
  await source?.emit({ id: 1 });
  await expect.poll(callback.messages).toHaveLength(1);
  expect((await callback.messages())[0]?.body.data).toEqual({ id: 1 });
});

test("a subscription by a connect token lasts at most as long as the token", async () => {
  const customer = await newCustomer();
  const key = await savedSource(customer.ada);
  const { token, link } = await newBrowser(customer, "one", { expires_in: 600 });
  const { answer } = await subscribing(agentOf(token), key);
  expect(answer.result.refreshBefore).toBe(new Date(link.expires_at).toISOString());
});

test("a key that is revoked while its source is being deployed subscribes to nothing", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const { ada, ...customer } = await newCustomer();
  const key = await savedSource(ada, {
    hooks: `async deploy() { await fetch("${gate.url}", { method: "POST" }); }`,
  });
  const headers = { "x-pd-project-id": customer.project, "x-pd-external-user-id": "one" };
  const subscription = subscribing(agentOf(customer.token, { headers }), key);
  await expect.poll(gate.received, { timeout: 20_000 }).toHaveLength(1);
  await ada.delete(`/connect/oauth_clients/${customer.clientId}`);
  await gate.release();
  const { answer, callback } = await subscription;
  expect(answer.error).toMatchObject({ code: -32024, message: expect.stringContaining("revoked") });
  expect(await callback.messages()).toEqual([]);
});

test("a stream sends nothing after the deletion of its project", async () => {
  const { customer, key, owner, revoke, token } = await externalUser(byOwnersKey, deleteProject);
  const named = { "x-pd-project-id": customer.project, "x-pd-external-user-id": "one" };
  const { data, ended, messages } = await follow(token, { name: key }, named);
  await expect.poll(() => messages).toHaveLength(1);
  const [source] = await agentSourcesOf(await owner());
  await source?.emit({ id: 1 });
  await expect.poll(data).toEqual([{ id: 1 }]);
  await revoke();
  await source?.emit({ id: 2 });
  await ended;
  expect(data()).toEqual([{ id: 1 }]);
});
