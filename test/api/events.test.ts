import { expect, test } from "vitest";

import { request, signUp } from "../support/client.ts";
import { runsCommitted } from "../support/source-tables.ts";

const CODE = `export default {
  name: "Events", version: "1",
  props: { http: "$.interface.http" },
  run({ body }) {
    if (body.log) console.log(body.log);
    for (const { event, meta } of body.emits ?? []) this.$emit(event, meta);
    if (body.fail) throw new TypeError(body.fail);
  },
};`;

type Summary = { id: string; event: unknown };

/** Deploy a source that emits its request. */
async function emitter() {
  const ada = await signUp();
  const { data } = (await ada.post("/sources", { component_code: CODE })).body;
  const endpoint = data.configured_props.http.endpoint_url.slice("http://wellspring.test".length);
  const list = async (query = "", stream = "") =>
    (await ada.get(`/sources/${data.id}${stream}/event_summaries${query}`)).body;
  return {
    ada,
    id: data.id as string,
    send: async (body: object) => {
      const response = await request("POST", endpoint, { body });
      await runsCommitted(data.id);
      return response;
    },
    list,
    events: async (query = "") => (await list(query)).data.map(({ event }: Summary) => event),
  };
}

const emits = (...events: unknown[]) => ({ emits: events.map((event) => ({ event })) });

test("a summary has the event with all its metadata", async () => {
  const { id, send, list } = await emitter();
  await send({
    emits: [
      { event: { a: 1 }, meta: { id: 7, name: "orders", summary: "One", ts: 1_600_000_000_000 } },
    ],
  });
  await send(emits("plain"));
  const { page_info, data } = await list();
  expect(page_info).toEqual({
    total_count: 2,
    count: 2,
    start_cursor: expect.any(String),
    end_cursor: expect.any(String),
  });
  expect(data).toEqual([
    {
      id: expect.stringMatching(/^\d{13}-\d+$/),
      indexed_at_ms: expect.any(Number),
      event: "plain",
      metadata: { emit_id: expect.any(String), name: "", emitter_id: id },
    },
    {
      id: expect.stringMatching(/^\d{13}-\d+$/),
      indexed_at_ms: expect.any(Number),
      event: { a: 1 },
      metadata: {
        emit_id: expect.any(String),
        name: "orders",
        emitter_id: id,
        id: "7",
        summary: "One",
        ts: 1_600_000_000_000,
      },
    },
  ]);
});

test("pages of events follow each other in both directions", async () => {
  const { send, list, events } = await emitter();
  await send(emits(1, 2, 3, 4, 5));
  const first = await list("?limit=2");
  expect(first.data.map(({ event }: Summary) => event)).toEqual([5, 4]);
  expect(first.page_info).toMatchObject({ total_count: 5, count: 2 });
  expect(await events(`?limit=2&after=${first.page_info.end_cursor}`)).toEqual([3, 2]);
  const last = await list(`?limit=2&after=${(await list("?limit=4")).page_info.end_cursor}`);
  expect(last.data.map(({ event }: Summary) => event)).toEqual([1]);
  expect(await events(`?limit=2&before=${last.page_info.start_cursor}`)).toEqual([3, 2]);
  expect((await list(`?before=${first.page_info.start_cursor}`)).page_info).toEqual({
    total_count: 5,
    count: 0,
    start_cursor: null,
    end_cursor: null,
  });
});

test("channels are read together or one by one, errors and logs separately", async () => {
  const { send, list, events } = await emitter();
  await send({ log: "hello", emits: [{ event: 1 }, { event: 2, meta: { name: "custom" } }] });
  await send({ fail: "no" });
  expect(await events()).toEqual([2, 1]);
  expect(await events("?event_name=")).toEqual([1]);
  expect(await events("?event_name=custom")).toEqual([2]);
  for (const errors of [
    await list("", "/$errors"),
    await list("", "/%24errors"),
    await list("?event_name=$errors"),
  ])
    expect(errors.data).toMatchObject([
      { event: { error: { code: "TypeError", message: "no" } }, metadata: { name: "$errors" } },
    ]);
  expect((await list("", "/$logs")).data).toMatchObject([
    { event: { level: "error", message: expect.stringMatching(/^TypeError: no/) } },
    { event: { level: "info", message: "hello" }, metadata: { name: "$logs" } },
  ]);
});

test("a long event is truncated unless it is requested whole", async () => {
  const { ada, id, send, list } = await emitter();
  const event = { long: "x".repeat(2000), short: 1 };
  await send(emits(event));
  const [cut] = (await list()).data;
  expect(cut).toMatchObject({ truncated: true, event: { short: 1 } });
  expect(cut.event.long).toMatch(/^x+…$/);
  const [whole] = (await list("?expand=event")).data;
  expect(whole.event).toEqual(event);
  expect(whole).not.toHaveProperty("truncated");
  expect((await ada.get(`/sources/${id}/events?n=1`)).body).toEqual({ data: [whole] });
});

test("deleted events disappear at once, from one id to another", async () => {
  const { ada, id, send, list, events } = await emitter();
  await send(emits(1, 2, 3, 4, 5, 6));
  const ids = (await list()).data.map((summary: Summary) => summary.id).toReversed();
  const remove = (query: string) => ada.delete(`/sources/${id}/events${query}`);

  expect(await remove(`?start_id=${ids[2]}&end_id=${ids[2]}`)).toMatchObject({
    status: 202,
    body: undefined,
  });
  expect(await events()).toEqual([6, 5, 4, 2, 1]);
  await remove(`?end_id=${ids[0]}`);
  expect(await events()).toEqual([6, 5, 4, 2]);
  await remove(`?start_id=${ids[4]}`);
  expect(await events()).toEqual([4, 2]);
  await remove("");
  expect(await events()).toEqual([]);
});

test("deletes only the events of one channel", async () => {
  const { ada, id, send, events } = await emitter();
  await send({ emits: [{ event: 1 }, { event: 2, meta: { name: "custom" } }] });
  await ada.delete(`/sources/${id}/events?event_name=custom`);
  expect(await events()).toEqual([1]);
});

test.for([
  ["GET", "/event_summaries?limit=101"],
  ["GET", "/event_summaries?after=nonsense"],
  ["GET", "/event_summaries?after=cjE"],
  ["GET", "/event_summaries?after=ZTEtMA&before=ZTEtMA"],
  ["GET", "/events?n=0"],
  ["DELETE", "/events?start_id=yesterday"],
] as const)("rejects %s %s", async ([method, path]) => {
  const { ada, id } = await emitter();
  expect(await ada.as(method)(`/sources/${id}${path}`)).toMatchObject({
    status: 400,
    body: { code: "invalid_input" },
  });
});
