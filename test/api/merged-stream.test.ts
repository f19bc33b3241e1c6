// @suites loader

import { exports } from "cloudflare:workers";
import { test } from "vitest";

import { operator, ORIGIN, signUp, workspaceOf } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { runsCommitted } from "../support/source-tables.ts";

const ECHO = `export default { name: "Echo", version: "1", props: { http: "$.interface.http" },
  run({ body }) { console.log("got", body.say); if (body.fail) throw new Error(body.fail);
    this.$emit(body.say, { name: body.name, id: body.id }) } }`;

const ALL = "event_name=$emits&event_name=$logs&event_name=$errors&event_name=$runs";

type Client = Awaited<ReturnType<typeof signUp>>;

async function deployed(client: Client, code = ECHO) {
  const { body } = await client.post("/sources", { component_code: code });
  const url = body.data.configured_props.http.endpoint_url as string;
  return { id: body.data.id as string, url };
}

/** Open a stream, and read it until there are `count` messages, or until it is kept alive. */
async function open({ user }: Client, query = "", headers: Record<string, string> = {}) {
  const response = await exports.default.fetch(`${ORIGIN}/v1/users/me/sse?${query}`, {
    headers: { authorization: `Bearer ${user.api_key}`, ...headers },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const state = { isDone: false };
  async function readUntil(isEnough: () => boolean) {
    while (!state.isDone && !isEnough()) {
      const { value, done = true } = (await reader?.read()) ?? {};
      state.isDone = done;
      text += value ?? "";
    }
  }
  const messages = () => text.split("\n\n").filter((part) => part.startsWith("id: "));
  async function next(count: number) {
    await readUntil(() => messages().length >= count);
    return messages().map(parsed);
  }
  const keptAlive = () => readUntil(() => text.includes(": keep-alive"));
  return { response, state, next, keptAlive, close: () => reader?.cancel() };
}

function parsed(message: string) {
  const [, id = "", data = ""] = /^id: (.*)\ndata: (.*)$/.exec(message) ?? [];
  return { id, data: JSON.parse(data) };
}

test.concurrent("one stream has the events of all sources, including those created while it is open", async ({
  expect,
}) => {
  const ada = await signUp();
  const [one, two] = [await deployed(ada), await deployed(ada)];
  const stream = await open(ada);
  expect(stream.response.headers.get("content-type")).toBe("text/event-stream");
  await sendJson(one.url, { say: 1 });
  await stream.next(1);
  await sendJson(two.url, { say: 2 });
  await stream.next(2);
  const three = await deployed(ada);
  await sendJson(three.url, { say: 3 });
  const messages = await stream.next(3);
  expect(messages.map(({ data }) => [data.metadata.emitter_id, data.event])).toEqual([
    [one.id, 1],
    [two.id, 2],
    [three.id, 3],
  ]);
  await stream.close();
});

test.concurrent("a stream reports runs with their requests, logs, emits and errors on request", async ({
  expect,
}) => {
  const ada = await signUp();
  const { id, url } = await deployed(ada);
  const stream = await open(ada, ALL);
  await sendJson(`${url}/orders`, { say: 1, name: "orders" });
  await stream.next(3);
  await sendJson(url, { fail: "broken" });
  const messages = await stream.next(7);
  const names = messages.map(({ data }) => data.metadata.name as string);
  expect(names.toSorted((a, b) => a.localeCompare(b))).toEqual([
    "$errors",
    "$logs",
    "$logs",
    "$logs",
    "$runs",
    "$runs",
    "orders",
  ]);
  const runs = messages.filter(({ data }) => data.metadata.name === "$runs");
  expect(runs.map(({ data }) => data.event)).toMatchObject([
    { trigger: "http", method: "POST", path: "/orders", outcome: "succeeded", emitted: 1 },
    { trigger: "http", method: "POST", path: "/", outcome: "failed", emitted: 0 },
  ]);
  expect(runs[0]?.data.event).toMatchObject({
    run_id: expect.any(String),
    event: { body: { say: 1, name: "orders" } },
    duration_ms: expect.any(Number),
  });
  await stream.close();

  const { body } = await ada.get(`/sources/${id}/event_summaries?event_name=$runs`);
  expect(body.data).toEqual([]);
});

test.concurrent("a stream reports how many events of a run were duplicates", async ({ expect }) => {
  const ada = await signUp();
  const { url } = await deployed(ada, ECHO.replace("name:", `dedupe: "unique", name:`));
  const stream = await open(ada, "event_name=$runs");
  await sendJson(url, { say: 1, id: 7 });
  await sendJson(url, { say: 2, id: 7 });
  const messages = await stream.next(2);
  expect(messages.map(({ data }) => data.event)).toMatchObject([
    { emitted: 1, duplicates: 0 },
    { emitted: 0, duplicates: 1 },
  ]);
  await stream.close();
});

test.concurrent("a stream has only the requested sources and channels, and none of other owners", async ({
  expect,
}) => {
  const [ada, bob] = [await signUp(), await signUp()];
  const [one, two] = [await deployed(ada), await deployed(ada)];
  const stream = await open(ada, `emitter_id=${two.id}&event_name=b&event_name=c`);
  await sendJson(one.url, { say: 1, name: "b" });
  for (const name of ["a", "b", "c"]) {
    await sendJson(two.url, { say: name, name });
    await runsCommitted(two.id);
  }
  expect((await stream.next(2)).map(({ data }) => data.event)).toEqual(["b", "c"]);
  await stream.close();
  const foreign = await open(bob, `emitter_id=${two.id}`);
  expect(foreign.response.status).toBe(404);
  const wrong = await open(bob, "emitter_id=u_1");
  expect(wrong.response.status).toBe(400);
});

test.concurrent("a reader resumes shortly before its last event", async ({ expect }) => {
  const ada = await signUp();
  const [one, two] = [await deployed(ada), await deployed(ada)];
  const first = await open(ada);
  await sendJson(one.url, { say: 1 });
  const [seen] = await first.next(1);
  await first.close();
  await sendJson(two.url, { say: 2 });
  await sendJson(one.url, { say: 3 });
  const resumed = await open(ada, "", { "last-event-id": seen?.id ?? "" });
  const values = (await resumed.next(3)).map(({ data }) => data.event);
  expect(new Set(values)).toEqual(new Set([1, 2, 3]));
  await resumed.close();
});

test.concurrent("a stream ends when its key is revoked", async ({ expect }) => {
  const ada = await signUp();
  const { body } = await operator.post(`/users/${ada.user.id}/api_keys`, {});
  const { id, api_key } = body.data;
  await deployed(ada);
  const stream = await open({ ...ada, user: { ...ada.user, api_key } });
  expect(stream.response.status).toBe(200);
  await operator.delete(`/api_keys/${id}`);
  await stream.next(1);
  expect(stream.state.isDone).toBe(true);
});

test.concurrent("a stream of a workspace's source cannot be reopened after the membership ended", async ({
  expect,
}) => {
  const [ada, bob] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, bob);
  const { body } = await ada.post("/sources", { component_code: ECHO, org_id: workspace });
  const url = body.data.configured_props.http.endpoint_url as string;
  const own = await deployed(bob);
  const stream = await open(bob, `emitter_id=${body.data.id}&emitter_id=${own.id}`);
  await sendJson(url, { say: 1 });
  expect(await stream.next(1)).toHaveLength(1);
  await operator.delete(`/workspaces/${workspace}/members/${bob.user.id}`);
  // By then it has opened its parts again, later than the key's object refuses those of a former member.
  await stream.keptAlive();
  await sendJson(url, { say: 2 });
  const listed = async () =>
    (await ada.get(`/sources/${body.data.id}/event_summaries`)).body.page_info.total_count;
  await expect.poll(listed).toBe(2);
  await sendJson(own.url, { say: 3 });
  expect((await stream.next(2)).map(({ data }) => data.event)).toEqual([1, 3]);
  await stream.close();
});

test.concurrent("a merged stream counts as one of its key's hundred streams, even without any source", async ({
  expect,
}) => {
  const ada = await signUp();
  const streams = await Promise.all(Array.from({ length: 100 }, () => open(ada)));
  expect(new Set(streams.map(({ response }) => response.status))).toEqual(new Set([200]));
  const refused = await open(ada);
  expect(refused.response.status).toBe(429);
  expect(refused.response.headers.get("retry-after")).toBe("5");
  await streams[0]?.close();
  const again = async () => {
    const stream = await open(ada);
    await stream.close();
    return stream.response.status;
  };
  await expect.poll(again, { timeout: 20_000 }).toBe(200);
  for (const stream of streams.slice(1)) await stream.close();
});
