// @suites loader

import { expect, test } from "vitest";

import { newAgent } from "../support/agents.ts";
import { signUp, workspaceOf } from "../support/client.ts";
import { later, stopClock } from "../support/clock.ts";
import { ordersOf } from "../support/events.ts";
import { agentOf } from "../support/mcp.ts";

async function newOrders() {
  const ada = await signUp();
  const agent = agentOf(ada.user.api_key);
  const poll = async (params: Record<string, unknown>) =>
    (await agent.send("events/poll", params)).body.result;
  return { ada, agent, poll, ...(await ordersOf(ada)) };
}

type Listed = { events: { name: string }[] };

/** The deployed sources of a list. Other tests publish components, which are event types for everybody. */
const deployedIn = ({ events }: Listed) => events.filter(({ name }) => name.startsWith("dc_"));

const dataOf = (result: { events: { data: unknown }[] }) => result.events.map(({ data }) => data);

async function keyOf(ada: Awaited<ReturnType<typeof signUp>>, scope: string) {
  const { body } = await ada.post("/agent_keys", { name: "Robot", scope });
  return agentOf(body.data.agent_key);
}

test("the server declares the extension", async () => {
  const { agent } = await newOrders();
  const { body } = await agent.send("server/discover");
  expect(body.result.capabilities).toMatchObject({
    events: {},
    extensions: { "io.modelcontextprotocol/events": {} },
  });
});

test("each deployed source is an event type, marked as untrusted", async () => {
  const { agent, id } = await newOrders();
  const { body } = await agent.send("events/list");
  expect(deployedIn(body.result)).toEqual([
    {
      name: id,
      description: expect.stringMatching(/"orders".*Untrusted/),
      delivery: ["webhook", "push", "poll"],
      inputSchema: expect.objectContaining({
        properties: { filter: expect.objectContaining({ type: "string" }) },
        additionalProperties: false,
      }),
      payloadSchema: { type: "object", description: expect.stringMatching(/^Untrusted/) },
    },
  ]);
});

test("a poll without a cursor begins now, and the next ones return each new event once", async () => {
  const { id: name, emit, poll } = await newOrders();
  await emit({ id: "before" });
  const first = await poll({ name, cursor: null });
  expect(first).toMatchObject({ events: [], hasMore: false, truncated: false, nextPollMs: 5000 });
  await emit({ id: 1 }, "plain", { id: 3 });
  const second = await poll({ name, cursor: first.cursor, maxEvents: 2 });
  expect(dataOf(second)).toEqual([{ id: 1 }, { value: "plain" }]);
  expect(second).toMatchObject({ hasMore: true, truncated: false, nextPollMs: 0 });
  expect(second.events[0]).toEqual({
    eventId: expect.any(String),
    name,
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: { id: 1 },
    cursor: expect.any(String),
  });
  const third = await poll({ name, cursor: second.cursor });
  expect(dataOf(third)).toEqual([{ id: 3 }]);
  const fourth = await poll({ name, cursor: third.cursor });
  expect(fourth).toMatchObject({ events: [], cursor: third.cursor, hasMore: false });
});

test("the cursor of one event resumes after it", async () => {
  const { id: name, emit, poll } = await newOrders();
  const { cursor } = await poll({ name });
  await emit({ id: 1 }, { id: 2 }, { id: 3 });
  const { events } = await poll({ name, cursor });
  expect(dataOf(await poll({ name, cursor: events[0].cursor }))).toEqual([{ id: 2 }, { id: 3 }]);
});

test("a poll skips the events that its filter excludes", async () => {
  const { id: name, emit, poll } = await newOrders();
  const { cursor } = await poll({ name });
  await emit({ id: 1 }, { id: 2 }, { id: 3, text: "x".repeat(5000) }, { id: 4 });
  const args = { name, arguments: { filter: "event.id > 1" } };
  const first = await poll({ ...args, cursor, maxEvents: 2 });
  expect(dataOf(first)).toMatchObject([{ id: 2 }, { id: 3 }]);
  expect(first.hasMore).toBe(true);
  const second = await poll({ ...args, cursor: first.cursor });
  expect(second).toMatchObject({ events: [{ data: { id: 4 } }], hasMore: false });
  const none = { name, arguments: { filter: "event.id > 9" } };
  expect(await poll({ ...none, cursor })).toMatchObject({ events: [], cursor: second.cursor });
});

test("an event id is the emit id, which other deliveries of the event have too", async () => {
  const { ada, id: name, emit, poll } = await newOrders();
  const { cursor } = await poll({ name });
  await emit({ id: 1 });
  const { events } = await poll({ name, cursor });
  const { data } = (await ada.get(`/sources/${name}/event_summaries`)).body;
  expect(events[0].eventId).toBe(data[0].metadata.emit_id);
});

test("a poll returns large events completely, a few at a time", async () => {
  const { id: name, emit, poll } = await newOrders();
  const { cursor } = await poll({ name });
  const text = "x".repeat(400_000);
  for (const id of [1, 2, 3]) await emit({ id, text });
  const first = await poll({ name, cursor });
  expect(first.events.map(({ data }: { data: object }) => data)).toEqual([
    { id: 1, text },
    { id: 2, text },
  ]);
  expect(first.hasMore).toBe(true);
  expect(dataOf(await poll({ name, cursor: first.cursor }))).toEqual([{ id: 3, text }]);
});

test("a poll returns truncated if events after its cursor were deleted", async () => {
  const { id: name, emit, poll } = await newOrders();
  const { cursor } = await poll({ name });
  await emit(...Array.from({ length: 101 }, (_, id) => ({ id })));
  const polled = await poll({ name, cursor, maxEvents: 100 });
  expect(polled).toMatchObject({ truncated: true, hasMore: false });
  expect(dataOf(polled)).toHaveLength(100);
  expect(await poll({ name, cursor: polled.cursor })).toMatchObject({ truncated: false });
});

test("a poll leaves out events older than its limit, and reports that", async () => {
  const { id: name, emit, poll } = await newOrders();
  const { cursor } = await poll({ name });
  await emit({ id: 1 });
  const polled = await later(50, () => poll({ name, cursor, maxAgeMs: 1 }));
  expect(polled).toMatchObject({ events: [], truncated: true, hasMore: false });
  expect(await poll({ name, cursor: polled.cursor })).toMatchObject({
    events: [],
    truncated: false,
  });
});

test("a list returns sources in pages", async () => {
  const { agent, ada } = await newOrders();
  for (let made = 1; made < 51; made += 10)
    await Promise.all(Array.from({ length: 10 }, () => ordersOf(ada)));
  const { result: first } = (await agent.send("events/list")).body;
  expect(deployedIn(first)).toHaveLength(50);
  const { result: second } = (await agent.send("events/list", { cursor: first.nextCursor })).body;
  expect(deployedIn(second)).toHaveLength(1);
  const names = [first, second].flatMap(deployedIn).map(({ name }) => name);
  expect(new Set(names).size).toBe(51);
});

test.for([
  [{ cursor: "nonsense" }, "cursor"],
  [{ arguments: { account: "apn_1" } }, "account"],
  [{ arguments: { filter: "event.id >" } }, "arguments.filter"],
  [{ maxEvents: 0 }, "maxEvents"],
])("a poll with %j is refused", async ([more, field]) => {
  const { agent, id } = await newOrders();
  const { body } = await agent.send("events/poll", { name: id, ...(more as object) });
  expect(body.error).toMatchObject({ code: -32602 });
  expect(JSON.stringify(body.error)).toContain(field);
});

test("a cursor is of one event type and one owner, and of the method that returned it", async () => {
  const { agent, ada, id: name, poll } = await newOrders();
  const { id: other } = await ordersOf(ada);
  const { cursor } = await poll({ name });
  expect(cursor).toMatch(/^c1\.[\w-]{40,}$/);
  const stranger = await newOrders();
  const refused = await Promise.all([
    agent.send("events/poll", { name: other, cursor }),
    agent.send("events/poll", { name, cursor: `${cursor}A` }),
    agent.send("events/list", { cursor }),
    stranger.agent.send("events/poll", { name: stranger.id, cursor }),
  ]);
  for (const { body } of refused)
    expect(body.error).toMatchObject({
      code: -32602,
      data: { code: "invalid_input", issues: [{ path: "cursor" }] },
    });
});

test("rejects a list with an invalid cursor", async () => {
  const { agent } = await newOrders();
  const { body } = await agent.send("events/list", { cursor: "nonsense" });
  expect(body.error).toMatchObject({ code: -32602, data: { code: "invalid_input" } });
});

test("an agent neither lists nor polls other users' sources", async () => {
  const { id: name } = await newOrders();
  const { agent: other } = await newAgent();
  const stranger = agentOf((await signUp()).user.api_key);
  for (const agent of [other, stranger]) {
    expect(deployedIn((await agent.send("events/list")).body.result)).toEqual([]);
    const { body } = await agent.send("events/poll", { name });
    expect(body.error.data.code).toBe("not_found");
  }
});

test("an agent of a workspace sees the workspace's sources alone", async () => {
  const { ada, id: own } = await newOrders();
  const workspace = await workspaceOf(ada);
  const { id } = await ordersOf(ada, `?workspace_id=${workspace}`);
  const agent = agentOf(ada.user.api_key, { query: `?workspace_id=${workspace}` });
  const { result } = (await agent.send("events/list")).body;
  expect(deployedIn(result).map(({ name }) => name)).toEqual([id]);
  expect((await agent.send("events/poll", { name: own })).body.error.data.code).toBe("not_found");
});

test("a key with the scope read alone lists events and polls none", async () => {
  const { ada, id: name } = await newOrders();
  const reader = await keyOf(ada, "read");
  expect(deployedIn((await reader.send("events/list")).body.result)).toHaveLength(1);
  const { status, headers } = await reader.send("events/poll", { name });
  expect(status).toBe(403);
  expect(headers.get("www-authenticate")).toContain('scope="subscribe"');
});

test.for(["app:github", "account:apn_1"])(
  "a key that is limited to %s reaches no events",
  async (narrowing) => {
    const { ada, id: name } = await newOrders();
    const key = await keyOf(ada, `read subscribe ${narrowing}`);
    expect(deployedIn((await key.send("events/list")).body.result)).toEqual([]);
    expect((await key.send("events/poll", { name })).body.error.data.code).toBe("forbidden");
  },
);

test("an owner's agents make at most 100 polls in ten seconds", async () => {
  // All in one window, however long they take.
  stopClock();
  const { agent, id: name } = await newOrders();
  const polls = await Promise.all(
    Array.from({ length: 110 }, () => agent.send("events/poll", { name })),
  );
  const refused = polls.filter(({ body }) => body.error?.data?.code === "rate_limited");
  expect(refused.length).toBeGreaterThan(0);
});
