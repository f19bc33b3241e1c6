// @suites release

import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { ORIGIN, signUp } from "../support/client.ts";
import { storeEvents } from "../support/source-tables.ts";

const COUNT = 40;

/** Emits nothing: the tests insert its events. */
const QUIET = `export default { name: "Quiet", version: "1", run() {} }`;

/** A source whose history is larger than one RPC may carry. `payloads`: JSON text. */
async function withHistory(channel: string, payloads: readonly string[]) {
  const client = await signUp();
  const { body } = await client.post("/sources", { component_code: QUIET });
  const id = body.data.id as string;
  const [base = 0] = await storeEvents(env.SOURCES.getByName(id), payloads, { channel });
  const stream = (path: string, headers: Record<string, string> = {}) =>
    exports.default.fetch(`${ORIGIN}/v1/sources/${id}${path}`, {
      headers: { authorization: `Bearer ${client.user.api_key}`, ...headers },
    });
  return { client, id, base, stream };
}

/** Read a stream until it ends or until `isEnough`. */
async function readUntil(response: Response, isEnough: (soFar: string) => boolean) {
  let text = "";
  const body = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
  for await (const chunk of body) {
    text += chunk;
    if (isEnough(text)) break;
  }
  return text;
}

/** In an RPC, each takes two bytes a character: one megabyte. */
const large = (index: number) => JSON.stringify({ index, text: "€".repeat(524_000) });
const LARGE = Array.from({ length: COUNT }, (_, index) => large(index));
const newestFirst = Array.from({ length: COUNT }, (_, index) => COUNT - 1 - index);

test("reads a page of large events whole, with its place in the list", async () => {
  const { client, id } = await withHistory("", LARGE);
  const { status, body } = await client.get(
    `/sources/${id}/event_summaries?expand=event&limit=100`,
  );
  expect(status).toBe(200);
  expect(body.data.map(({ event }: { event: { index: number } }) => event.index)).toEqual(
    newestFirst,
  );
  expect(body.page_info).toMatchObject({ total_count: COUNT, count: COUNT });
  const { body: older } = await client.get(
    `/sources/${id}/event_summaries?limit=100&after=${body.page_info.start_cursor}`,
  );
  expect(older.data).toHaveLength(COUNT - 1);
  const { body: newer } = await client.get(
    `/sources/${id}/event_summaries?expand=event&limit=20&before=${body.page_info.end_cursor}`,
  );
  expect(newer.data.map(({ event }: { event: { index: number } }) => event.index)).toEqual(
    newestFirst.slice(-21, -1),
  );
});

test("reads the latest large events with the requested fields", async () => {
  const { client, id } = await withHistory("", LARGE);
  const { body } = await client.get(`/sources/${id}/events?n=100&include=id`);
  expect(body.data).toHaveLength(COUNT);
  expect(Object.keys(body.data[0])).toEqual(["id"]);
});

test("reads error records of large requests", async () => {
  const { client, id } = await withHistory("$errors", LARGE);
  const { body } = await client.get(
    `/sources/${id}/$errors/event_summaries?expand=event&limit=100`,
  );
  expect(body.data).toHaveLength(COUNT);
});

/** The ids of the messages of a stream that the server ends. */
async function idsIn(response: Response): Promise<string[]> {
  const ids: string[] = [];
  let tail = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    // Messages are long: an id and its `data:` are in one chunk, or at the end of one and the start of the next.
    for (const [, id = ""] of (tail + chunk).matchAll(/^id: (\S+)\ndata:/gm))
      if (ids.at(-1) !== id) ids.push(id);
    tail = chunk.slice(-100);
  }
  return ids;
}

test("a reader that resumes before more events than one RPC carries gets the oldest, and resumes again", async () => {
  const { base, stream } = await withHistory("", LARGE);
  const first = await idsIn(
    await stream("/sse", { "last-event-id": `${Math.floor(base / 1000) - 1}-0` }),
  );
  expect(first[0]).toBe(`${Math.floor(base / 1000)}-0`);
  expect(first.length).toBeLessThan(COUNT / 2);
  const next = await idsIn(await stream("/sse", { "last-event-id": first.at(-1) ?? "" }));
  expect([...first, ...next]).toEqual(
    [...first, ...next].map((_, index) => `${Math.floor(base / 1000)}-${index}`),
  );
});

test("every reader returns an event that an older release stored as invalid JSON", async () => {
  const { client, id, base, stream } = await withHistory("", [
    "1",
    `oops\n\nid: 1-0\ndata: "forged"`,
    "x".repeat(2000),
  ]);
  const { status, body } = await client.get(`/sources/${id}/event_summaries`);
  expect(status).toBe(200);
  expect(body.data.map(({ event }: { event: unknown }) => event).slice(1)).toEqual([
    `oops\n\nid: 1-0\ndata: "forged"`,
    1,
  ]);
  const response = await stream("/sse", { "last-event-id": `${Math.floor(base / 1000)}-0` });
  const text = await readUntil(response, (soFar) => soFar.includes("xxx"));
  expect(text.match(/^id: .*$/gm)).toHaveLength(2);
});
