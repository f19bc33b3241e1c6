// @suites loader

import { exports } from "cloudflare:workers";
import { test } from "vitest";

import { operator, ORIGIN, signUp, workspaceOf } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { runsCommitted } from "../support/source-tables.ts";

const ECHO = `export default { name: "Echo", version: "1", props: { http: "$.interface.http" },
  run({ body }) { if (body.fail) throw new Error(body.fail); this.$emit(body.say, { name: body.name, id: body.id }) } }`;

async function deployed(as?: Awaited<ReturnType<typeof signUp>>, more: object = {}) {
  const client = as ?? (await signUp());
  const { body } = await client.post("/sources", { component_code: ECHO, ...more });
  const key = client.user.api_key as string;
  return {
    client,
    key,
    id: body.data.id as string,
    url: body.data.configured_props.http.endpoint_url as string,
  };
}

/** Open a stream and read messages from it until there are `count`. */
async function open(key: string, path: string, headers: Record<string, string> = {}) {
  const response = await exports.default.fetch(`${ORIGIN}${path}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  async function next(count: number) {
    for (;;) {
      const messages = text.split("\n\n").filter((part) => part.startsWith("id: "));
      if (messages.length >= count || !reader) return messages.map(parsed);
      const { value, done } = await reader.read();
      if (done) return messages.map(parsed);
      text += value;
    }
  }
  return { response, next, close: () => reader?.cancel() };
}

function parsed(message: string) {
  const [, id = "", data = ""] = /^id: (.*)\ndata: (.*)$/.exec(message) ?? [];
  return { id, data: JSON.parse(data) };
}

test.concurrent("a stream sends each event as it is emitted", async ({ expect }) => {
  const { key, id, url } = await deployed();
  const stream = await open(key, `/v1/sources/${id}/sse`);
  expect(stream.response.headers.get("content-type")).toBe("text/event-stream");
  await sendJson(url, { say: { n: 1 }, id: 7 });
  const [message] = await stream.next(1);
  expect(message).toMatchObject({
    id: expect.stringMatching(/^\d+-\d+$/),
    data: { event: { n: 1 }, metadata: { name: "", emitter_id: id, id: "7" } },
  });
  expect(message?.data.id).toBe(message?.id);
  await stream.close();
});

test.concurrent("a stream may be limited to one channel, and never sends the platform's channels by default", async ({
  expect,
}) => {
  const { key, id, url } = await deployed();
  const all = await open(key, `/sources/${id}/sse`);
  const orders = await open(key, `/v1/sources/${id}/sse?event_name=orders`);
  const errors = await open(key, `/v1/sources/${id}/sse?event_name=$errors`);
  await sendJson(url, { fail: "broken" });
  await sendJson(url, { say: 1 });
  await runsCommitted(id);
  await sendJson(url, { say: 2, name: "orders" });
  expect((await all.next(2)).map(({ data }) => data.event)).toEqual([1, 2]);
  expect((await orders.next(1)).map(({ data }) => data.event)).toEqual([2]);
  expect((await errors.next(1)).map(({ data }) => data.event.error.message)).toEqual(["broken"]);
  for (const stream of [all, orders, errors]) await stream.close();
});

test.concurrent("a reader resumes after its last event", async ({ expect }) => {
  const { key, id, url } = await deployed();
  const first = await open(key, `/v1/sources/${id}/sse`);
  await sendJson(url, { say: 1 });
  const [seen] = await first.next(1);
  await first.close();
  await sendJson(url, { say: 2 });
  await runsCommitted(id);
  await sendJson(url, { say: 3 });
  const again = await open(key, `/v1/sources/${id}/sse`, { "last-event-id": seen?.id ?? "" });
  expect((await again.next(2)).map(({ data }) => data.event)).toEqual([2, 3]);
  await again.close();
});

test.concurrent("a stalled reader does not block the source", async ({ expect }) => {
  const { client, key, id, url } = await deployed();
  const stuck = await open(key, `/v1/sources/${id}/sse`);
  const say = "x".repeat(20_000);
  for (let n = 0; n < 30; n += 1)
    await Promise.all(Array.from({ length: 20 }, () => sendJson(url, { say })));
  expect((await client.get(`/sources/${id}/event_summaries`)).body.page_info.total_count).toBe(100);
  await stuck.close();
});

test.concurrent("a stream ends when its source is deleted", async ({ expect }) => {
  const { client, key, id } = await deployed();
  const stream = await open(key, `/v1/sources/${id}/sse`);
  await client.delete(`/sources/${id}`);
  expect(await stream.next(1)).toEqual([]);
});

test.concurrent("a stream requires a key with access to the source, and a valid last event id", async ({
  expect,
}) => {
  const { key, id } = await deployed();
  const eve = await signUp();
  expect((await open(eve.user.api_key, `/v1/sources/${id}/sse`)).response.status).toBe(404);
  expect((await open("wrong", `/v1/sources/${id}/sse`)).response.status).toBe(401);
  for (const place of ["x", "1-0_", "1-0,2-0", Array(17).fill("1-0").join("_")]) {
    const refused = await exports.default.fetch(`${ORIGIN}/v1/sources/${id}/sse`, {
      headers: { authorization: `Bearer ${key}`, "last-event-id": place },
    });
    const error = expect.stringMatching(/^Last-Event-ID: must be the id of a message .* by _$/);
    expect([refused.status, await refused.json()]).toMatchObject([400, { error }]);
  }
});

test.concurrent("a workspace's streams end with the membership, and other streams stay open", async ({
  expect,
}) => {
  const [ada, ben] = [await signUp(), await signUp()];
  const org_id = await workspaceOf(ada, ben);
  const shared = await deployed(ada, { org_id });
  const own = await deployed(ben);
  const bens = await open(ben.user.api_key, `/v1/sources/${shared.id}/sse`);
  const adas = await open(ada.user.api_key, `/v1/sources/${shared.id}/sse`);
  const bensOwn = await open(ben.user.api_key, `/v1/sources/${own.id}/sse`);
  await sendJson(shared.url, { say: 1 });
  expect(await bens.next(1)).toHaveLength(1);
  await operator.delete(`/workspaces/${org_id}/members/${ben.user.id}`);
  await sendJson(shared.url, { say: 2 });
  await sendJson(own.url, { say: "own" });
  expect((await bens.next(2)).map(({ data }) => data.event)).toEqual([1]);
  expect((await adas.next(2)).map(({ data }) => data.event)).toEqual([1, 2]);
  expect((await bensOwn.next(1)).map(({ data }) => data.event)).toEqual(["own"]);
  for (const stream of [adas, bensOwn]) await stream.close();
});

test.concurrent("a key's streams end with its revocation, and those of the user's other keys do not", async ({
  expect,
}) => {
  const { client, key, id, url } = await deployed();
  const { body } = await operator.post(`/users/${client.user.id}/api_keys`, {});
  const [revoked, other] = [
    await open(body.data.api_key, `/v1/sources/${id}/sse`),
    await open(key, `/v1/sources/${id}/sse`),
  ];
  await operator.delete(`/api_keys/${body.data.id}`);
  await sendJson(url, { say: 1 });
  expect(await revoked.next(1)).toEqual([]);
  expect(await other.next(1)).toHaveLength(1);
  await other.close();
});

test.concurrent("a key has at most a hundred open streams, and a closed stream frees its place", async ({
  expect,
}) => {
  const { client, key, id } = await deployed();
  const path = `/v1/sources/${id}/sse`;
  const streams = await Promise.all(Array.from({ length: 100 }, () => open(key, path)));
  expect(new Set(streams.map(({ response }) => response.status))).toEqual(new Set([200]));
  const refused = await open(key, path);
  expect(refused.response.status).toBe(429);
  expect(refused.response.headers.get("retry-after")).toBe("5");
  const { body } = await operator.post(`/users/${client.user.id}/api_keys`, {});
  const other = await open(body.data.api_key, path);
  expect(other.response.status).toBe(200);
  await streams[0]?.close();
  await expect
    .poll(
      async () => {
        const again = await open(key, path);
        await again.close();
        return again.response.status;
      },
      { timeout: 20_000 },
    )
    .toBe(200);
  for (const stream of [other, ...streams.slice(1)]) await stream.close();
});
