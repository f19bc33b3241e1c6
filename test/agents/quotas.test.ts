// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newAgent, savedAction } from "../support/agents.ts";
import { operator } from "../support/client.ts";
import { savedSource } from "../support/component-events.ts";
import { newCustomer } from "../support/connect.ts";
import { agentOf } from "../support/mcp.ts";
import { subscriber } from "../support/subscriptions.ts";
import { newCallback } from "../support/webhook.ts";

type Customer = Awaited<ReturnType<typeof newCustomer>>;

const DEFAULTS = { subscriptions_quota: null, polls_quota: null, runs_quota: null };
const NONE = { subscriptions: 0, polls: 0, runs: 0 };

/** An agent of one of a customer's external users. */
const agentFor = ({ token, project }: Customer, user: string) =>
  agentOf(token, { headers: { "x-pd-project-id": project, "x-pd-external-user-id": user } });

/** An external user who exists, and the path of its quotas. */
async function userOf({ server }: Customer, user: string): Promise<string> {
  await server.post("/tokens", { external_user_id: user });
  return `/users/${user}/agent_quotas`;
}

/** Subscribe agents of one customer to a component, each with a callback of its own; the users by number. */
async function subscribeAll(customer: Customer, users: readonly string[]) {
  const key = await savedSource(customer.ada);
  const callbacks = await Promise.all(users.map(() => newCallback()));
  const answers = await Promise.all(
    callbacks.map((callback, index) =>
      subscriber(agentFor(customer, users[index] ?? ""), key, callback).subscribe(),
    ),
  );
  return {
    key,
    granted: answers.flatMap(({ result }) => (result ? [result] : [])),
    errors: answers.flatMap(({ error }) => (error ? [error] : [])),
  };
}

test("an operator sets quotas of a project, and null restores the default", async () => {
  const { project, connect } = await newCustomer();
  const path = `/projects/${project}/agent_quotas`;
  const limits = { subscriptions: 1000, polls: 1000, runs: 1000 };
  expect((await operator.get(path)).body.data).toEqual({ ...DEFAULTS, limits, used: NONE });
  const set = await operator.put(path, { subscriptions_quota: 5, runs_quota: "7" });
  const changed = {
    subscriptions_quota: 5,
    polls_quota: null,
    runs_quota: 7,
    limits: { subscriptions: 5, polls: 1000, runs: 7 },
    used: NONE,
  };
  expect(set).toMatchObject({ status: 200, body: { data: changed } });
  expect((await connect.get(path)).body.data).toEqual(changed);
  await operator.put(path, { subscriptions_quota: null });
  expect((await connect.get(path)).body.data).toMatchObject({
    subscriptions_quota: null,
    runs_quota: 7,
    limits: { subscriptions: 1000, runs: 7 },
  });
});

test("a project sets quotas of its external users; the lower one is the limit", async () => {
  const customer = await newCustomer();
  const path = await userOf(customer, "one");
  await operator.put(`/projects/${customer.project}/agent_quotas`, { polls_quota: 20 });
  const quotas = { subscriptions_quota: 300, polls_quota: 50, runs_quota: 0 };
  const report = { ...quotas, limits: { subscriptions: 300, polls: 20, runs: 0 }, used: NONE };
  expect((await customer.server.put(path, quotas)).body.data).toEqual(report);
  expect((await customer.server.get(path)).body.data).toEqual(report);
  const elsewhere = { "x-pd-environment": "development" };
  expect(await customer.server.get(path, undefined, elsewhere)).toMatchObject({ status: 404 });
});

test.for([
  [{ subscriptions_quota: -1 }, "subscriptions_quota", "must not be negative"],
  [{ polls_quota: 1.5 }, "polls_quota", "must be a whole number"],
  [{ runs_quota: "many" }, "runs_quota", "must be a whole number"],
  [{ runs_quota: 1_000_001 }, "runs_quota", "must be at most 1000000"],
] as const)("rejects quotas %j", async ([quotas, path, message]) => {
  const customer = await newCustomer();
  const own = await userOf(customer, "one");
  const refusal = { status: 400, body: { details: { issues: [{ path, message }] } } };
  expect(await operator.put(`/projects/${customer.project}/agent_quotas`, quotas)).toMatchObject(
    refusal,
  );
  expect(await customer.server.put(own, quotas)).toMatchObject(refusal);
  expect((await customer.server.get(own)).body.data).toMatchObject(DEFAULTS);
});

test("nobody but the project and the operator reads or sets quotas", async () => {
  const [customer, other] = [await newCustomer(), await newCustomer()];
  const path = await userOf(customer, "one");
  const quotas = { runs_quota: 1 };
  const url = `/${customer.project}${path}`;
  expect(await other.connect.put(url, quotas)).toMatchObject({ status: 404 });
  expect(await other.connect.get(url)).toMatchObject({ status: 404 });
  const ofProject = `/projects/${customer.project}/agent_quotas`;
  expect(await other.connect.get(ofProject)).toMatchObject({ status: 404 });
  // Only the operator sets those of a project.
  const { ada } = customer;
  expect(await ada.put(`/connect${ofProject}`, quotas)).toMatchObject({ status: 405 });
  const { body } = await customer.server.post("/tokens", { external_user_id: "one" });
  const headers = { authorization: `Bearer ${body.token}` };
  expect(await customer.server.put(path, quotas, headers)).toMatchObject({ status: 403 });
  expect(await customer.server.put("/users/two/agent_quotas", quotas)).toMatchObject({
    status: 404,
    body: { code: "not_found" },
  });
  expect((await customer.server.get(path)).body.data).toMatchObject(DEFAULTS);
});

test("concurrent subscriptions of an external user stay within its quota", async () => {
  const customer = await newCustomer();
  const path = await userOf(customer, "one");
  await customer.server.put(path, { subscriptions_quota: 2 });
  const { granted, errors } = await subscribeAll(customer, Array(6).fill("one"));
  expect([granted.length, errors.length]).toEqual([2, 4]);
  for (const { code, message, data } of errors) {
    expect(code).toBe(-32025);
    expect(message).toMatch(
      /^Agents may have at most 2 subscriptions for one external user: end one, or wait \d+ s/,
    );
    expect(data).toEqual({
      code: "quota_exceeded",
      quota: "subscriptions_quota",
      of: "external user",
      limit: 2,
      retry_after_seconds: expect.any(Number),
    });
    // Subscriptions last a day by default.
    expect(data.retry_after_seconds).toBeGreaterThan(86_000);
  }
  expect((await customer.server.get(path)).body.data.used.subscriptions).toBe(2);
  const webhooks = await env.DB.prepare(
    `SELECT count(*) AS count FROM webhooks JOIN external_users ON external_users.id = webhooks.owner_id
     WHERE external_users.project_id = ?`,
  )
    .bind(customer.project)
    .first<{ count: number }>();
  expect(webhooks?.count).toBe(2);
});

test("concurrent subscriptions of several users stay within the project's quota", async () => {
  const customer = await newCustomer();
  const path = `/projects/${customer.project}/agent_quotas`;
  await operator.put(path, { subscriptions_quota: 3 });
  const { granted, errors } = await subscribeAll(customer, ["one", "two", "one", "two", "three"]);
  expect([granted.length, errors.length]).toEqual([3, 2]);
  for (const { data } of errors)
    expect(data).toMatchObject({ code: "quota_exceeded", of: "project", limit: 3 });
  expect((await operator.get(path)).body.data.used.subscriptions).toBe(3);
});

test("a subscription that ended frees its place, and a refresh needs none", async () => {
  const customer = await newCustomer();
  const path = await userOf(customer, "one");
  const [first, second] = [await newCallback(), await newCallback()];
  const agent = agentFor(customer, "one");
  const key = await savedSource(customer.ada);
  const { subscribe, unsubscribe } = subscriber(agent, key, first);
  const { result } = await subscribe();
  await customer.server.put(path, { subscriptions_quota: 1 });
  expect((await subscribe()).result.id).toBe(result.id);
  const other = subscriber(agent, key, second);
  expect((await other.subscribe()).error.data.quota).toBe("subscriptions_quota");
  // A lower quota ends no subscription.
  await customer.server.put(path, { subscriptions_quota: 0 });
  expect((await subscribe()).result.id).toBe(result.id);
  expect((await other.subscribe()).error.data).not.toHaveProperty("retry_after_seconds");
  await customer.server.put(path, { subscriptions_quota: 1 });
  await unsubscribe();
  expect((await other.subscribe()).result.truncated).toBe(false);
});

test("polls stay within the quota of the external user, and other users have their own", async () => {
  const customer = await newCustomer();
  const path = await userOf(customer, "one");
  const key = await savedSource(customer.ada);
  const poll = (user: string) => agentFor(customer, user).send("events/poll", { name: key });
  await poll("one");
  await customer.server.put(path, { polls_quota: 0 });
  const { error } = (await poll("one")).body;
  expect(error).toMatchObject({
    code: -32025,
    message: "Agents may make at most 0 polls in 10 seconds for one external user",
    data: { code: "rate_limited", quota: "polls_quota", of: "external user", limit: 0 },
  });
  expect((await poll("two")).body.result.events).toEqual([]);
  const { used } = (await customer.server.get(path)).body.data;
  expect(used.polls).toBeGreaterThan(0);
});

test("concurrent runs and programs stay within the quota of the project", async () => {
  const { customer, agent } = await newAgent();
  const action = await savedAction(customer, { code: "return 1;" });
  await operator.put(`/projects/${customer.project}/agent_quotas`, { runs_quota: 3 });
  const other = agentFor(customer, "two");
  const calls = await Promise.all([
    ...Array.from({ length: 5 }, () => agent.call("run", { action })),
    ...Array.from({ length: 5 }, () => other.call("run", { action })),
    agent.call("execute", { code: "return 1;" }),
  ]);
  const refused = calls.filter(({ isError }) => isError);
  // A new window of ten seconds may begin meanwhile, but not two.
  expect(refused.length).toBeGreaterThanOrEqual(5);
  const { error, ...rest } = JSON.parse(refused[0]?.content[0].text);
  expect(error).toMatch(
    /^Agents may run at most 3 actions in 10 seconds for one project: wait \d+ s$/,
  );
  expect(rest).toEqual({
    code: "rate_limited",
    details: {
      quota: "runs_quota",
      of: "project",
      limit: 3,
      retry_after_seconds: expect.any(Number),
    },
  });
  expect(rest.details.retry_after_seconds).toBeLessThanOrEqual(10);
});

test("a deleted external user leaves no quota to a later one of the same id", async () => {
  const customer = await newCustomer();
  const path = await userOf(customer, "one");
  await customer.server.put(path, { runs_quota: 1 });
  expect(await customer.server.delete("/users/one")).toMatchObject({ status: 204 });
  expect(await customer.server.get(path)).toMatchObject({ status: 404 });
  expect(await customer.server.put(path, { runs_quota: 2 })).toMatchObject({ status: 404 });
  await userOf(customer, "one");
  expect((await customer.server.get(path)).body.data).toMatchObject(DEFAULTS);
  await customer.connect.delete(`/projects/${customer.project}`);
  const ofProject = `/projects/${customer.project}/agent_quotas`;
  expect(await operator.get(ofProject)).toMatchObject({ status: 404 });
  expect(await operator.put(ofProject, { runs_quota: 2 })).toMatchObject({ status: 404 });
});
