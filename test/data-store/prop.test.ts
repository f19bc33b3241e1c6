// @suites release, dispatch, sandbox

import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { signUp, workspaceOf } from "../support/client.ts";
import { later } from "../support/clock.ts";
import { newStore } from "../support/data-store.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

const idOf = (path: string) => path.replace("/data_stores/", "");

/** A component that runs `body` on its data store and emits its return value. */
function component(body: string, { props = "", rest = "" } = {}): string {
  return `export default { name: "Stored", version: "1",
    props: { http: "$.interface.http", store: { type: "data_store", optional: true }, ${props} },
    methods: { async work({ body }) { const { store } = this; ${body} } },
    async run(event) { this.$emit(await this.work(event)); }, ${rest} }`;
}

type Deployed = { id: string; configured_props: { http: { endpoint_url: string } } };

async function deployed(client: Client, code: string, props: object): Promise<Deployed> {
  const { body, status } = await client.post("/sources", {
    component_code: code,
    configured_props: props,
  });
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data;
}

async function send(source: Deployed, event: object = {}): Promise<void> {
  const response = await exports.default.fetch(source.configured_props.http.endpoint_url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(event),
  });
  await response.text();
}

async function emitted(client: Client, { id }: { id: string }, count = 1): Promise<unknown[]> {
  const summaries = async () => {
    const { body } = await client.get(`/sources/${id}/event_summaries?expand=event&limit=100`);
    return (body.data as { event: unknown }[]).map(({ event }) => event).toReversed();
  };
  await expect.poll(summaries).toHaveLength(count);
  return summaries();
}

/** The return value of `body` in a component with an empty store. */
async function outcomeOf(body: string): Promise<unknown> {
  const { run } = await stored(body);
  return run();
}

/** A component with an empty store, and a function that runs it once and returns the value of `body`. */
async function stored(code: string) {
  const ada = await signUp();
  const source = await deployed(ada, component(code), { store: idOf(await newStore(ada)) });
  let runs = 0;
  const run = async (event: object = {}) => {
    await send(source, event);
    runs += 1;
    return (await emitted(ada, source, runs)).at(-1);
  };
  return { run };
}

test("a component gets, sets, has, deletes and clears", async () => {
  expect(
    await outcomeOf(`
      const none = [await store.get("k"), await store.has("k"), await store.delete("k")];
      await store.set("k", { a: [1] });
      const some = [await store.get("k"), await store.has("k")];
      await store.set("k", null); await store.set(2, "two");
      const changed = [await store.get("k"), await store.has("k"), await store.get("2")];
      const deleted = [await store.delete("k"), await store.has("k")];
      await store.clear();
      return { none: none.map(String), some, changed, deleted, keys: await store.keys() };`),
  ).toEqual({
    none: ["undefined", "false", "false"],
    some: [{ a: [1] }, true],
    changed: [null, true, "two"],
    deleted: [true, false],
    keys: [],
  });
});

test("a component iterates over all pairs in the order of keys", async () => {
  expect(
    await outcomeOf(`
      for (const key of ["b", "a", "ä", "Z"]) await store.set(key, key + "!");
      const pairs = [];
      for await (const [k, v] of store) pairs.push(k + v);
      await Promise.all(Array.from({ length: 2100 }, (_, n) => store.set("n" + n, n)));
      let sum = 0;
      for await (const [, v] of store) if (Number.isInteger(v)) sum += v;
      return { pairs, sum, keys: (await store.keys()).length };`),
  ).toEqual({ pairs: ["ZZ!", "aa!", "bb!", "ää!"], sum: 2_203_950, keys: 2104 });
});

test("iterating returns every value, even if they do not fit one response together", async () => {
  expect(
    await outcomeOf(`
      for (let n = 0; n < 9; n += 1) await store.set("k" + n, String(n).repeat(600_000));
      const seen = [];
      for await (const [k, v] of store) seen.push(k + v.length);
      return seen.join();`),
  ).toBe(Array.from({ length: 9 }, (_, n) => `k${n}600000`).join());
});

test("a record expires at the millisecond of its ttl, for every reader", async () => {
  const { run } = await stored(`
    if (body.isFirst) {
      await store.set("short", 1, { ttl: 20.2 }); await store.set("long", 2, { ttl: 600 });
      await store.set("kept", 3, { ttl: 20.2 }); await store.set("cut", 4);
      const set = [await store.setTtl("kept", null), await store.setTtl("cut", 20.2), await store.setTtl("none", 1)];
      return { set, before: await store.keys() };
    }
    const pairs = [];
    for await (const pair of store) pairs.push(pair);
    return { pairs, has: await store.has("short"), get: String(await store.get("cut")),
      deleted: await store.delete("short"), revived: await store.setTtl("cut", 9), keys: await store.keys() };`);
  const isFirst = true;
  expect(await run({ isFirst })).toEqual({
    set: [true, true, false],
    before: ["cut", "kept", "long", "short"],
  });
  expect(await later(20_200, run)).toEqual({
    pairs: [
      ["kept", 3],
      ["long", 2],
    ],
    has: false,
    get: "undefined",
    deleted: false,
    revived: false,
    keys: ["kept", "long"],
  });
});

test.for([
  [`store.set("", 1)`, "data_store: key: it must not be empty"],
  [`store.set("k".repeat(1025), 1)`, "data_store: key: it may have at most 1024 bytes"],
  [`store.set(undefined, 1)`, "data_store: key: it must be text"],
  [`store.get({})`, "data_store: key: it must be text"],
  [`store.set("k", "é".repeat(600_000))`, "value: a record may have at most 1 MB with its key"],
  [`store.set("k", "x".repeat(5_000_000))`, "value: a record may have at most 1 MB with its key"],
  [`store.set("k", 1, { ttl: -1 })`, "data_store: ttl: it must be a number of seconds above 0"],
  [`store.set("k", 1, { ttl: "soon" })`, "data_store: ttl: it must be a number of seconds"],
  [`store.setTtl("k", 1e12)`, "ttl: it must be a number of seconds above 0 and at most"],
] as const)("%s is rejected inside the component", async ([call, message]) => {
  const body = `try { await ${call} } catch (error) { return [error.message, await store.keys()] }`;
  expect(await outcomeOf(body)).toEqual([expect.stringContaining(message), []]);
});

test("a write without await takes effect", async () => {
  const ada = await signUp();
  const store = await newStore(ada);
  const code = component(`store.set("k", 1); throw new Error("afterwards");`);
  const source = await deployed(ada, code, { store: idOf(store) });
  await send(source);
  await expect.poll(async () => (await ada.get(`${store}/records/k`)).status).toBe(200);
});

test("concurrent runs each write their own key, and none is lost", async () => {
  const ada = await signUp();
  const store = await newStore(ada);
  const code = component(`await store.set("k" + body.n, body.n); return body.n;`);
  const source = await deployed(ada, code, { store: idOf(store) });
  await Promise.all(Array.from({ length: 60 }, (_, n) => send(source, { n })));
  await emitted(ada, source, 60);
  expect((await ada.get(`${store}/records?limit=1`)).body.page_info.total_count).toBe(60);
});

test("hooks use a store, and sources and the API share it", async () => {
  const ada = await signUp();
  const store = await newStore(ada);
  const hooks = `hooks: { async deploy() { await this.store.set("deployed", true) },
    async activate() { await this.store.set("active", await this.store.get("deployed")) } }`;
  await deployed(ada, component("", { rest: hooks }), { store: idOf(store) });
  await ada.put(`${store}/records/given`, { value: "by hand" });
  const reader = await deployed(ada, component(`return store.get(body.key)`), {
    store: idOf(store),
  });
  for (const key of ["active", "given"]) await send(reader, { key });
  expect(new Set(await emitted(ada, reader, 2))).toEqual(new Set(["by hand", true]));
});

test("additionalProps sees the selected stores", async () => {
  const ada = await signUp();
  const store = await newStore(ada);
  await ada.put(`${store}/records/colour`, { value: "red" });
  const additional = `async additionalProps() {
    return Object.fromEntries((await this.store.keys()).map((name) => [name, { type: "string" }])) }`;
  const answer = await ada.post("/sources", {
    component_code: component("", { rest: additional }),
    configured_props: { store: idOf(store) },
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { error: "configured_props.colour: is required" },
  });
});

test("without a store, the prop is absent, and the isolate gets no id", async () => {
  const ada = await signUp();
  const store = await newStore(ada);
  const body = `return { store: typeof store, other: JSON.stringify(Object.entries(this)), own: Object.keys(this.other) }`;
  const code = component(body, { props: `other: { type: "data_store" }` });
  const source = await deployed(ada, code, { other: idOf(store) });
  await send(source);
  const [seen] = (await emitted(ada, source)) as [{ store: string; other: string; own: string[] }];
  expect(seen).toMatchObject({ store: "undefined", own: [] });
  expect(seen.other).not.toContain("ds_");
});

test.for([
  ["ds_none", /there is no such data store that belongs to the owner/],
  [7, /must be the id of a data store, such as ds_5d0/],
  ["dc_5d0", /must be the id of a data store, such as ds_5d0/],
] as const)("rejects a source with the store %s", async ([value, message]) => {
  const ada = await signUp();
  const answer = await ada.post("/sources", {
    component_code: component(""),
    configured_props: { store: value },
  });
  expect(answer).toMatchObject({ status: 400, body: { code: "invalid_input" } });
  expect(answer.body.error).toMatch(/^configured_props\.store: /);
  expect(answer.body.error).toMatch(message);
});

test("a source can select no store of another owner or a workspace", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada);
  const shared = await ada.post("/data_stores", { name: "Shared", org_id: workspace });
  const choose = (id: string, extra = {}) =>
    ada.post("/sources", {
      component_code: component(""),
      configured_props: { store: id },
      ...extra,
    });
  expect(await choose(idOf(await newStore(eve)))).toMatchObject({ status: 400 });
  expect(await choose(shared.body.data.id)).toMatchObject({ status: 400 });
  expect(await choose(shared.body.data.id, { org_id: workspace })).toMatchObject({ status: 200 });
});

test("a deleted store returns an error to a component that still has it", async () => {
  const ada = await signUp();
  const store = await newStore(ada);
  const code = component(
    `try { await store.get("k") } catch (error) { return error.message } return "found"`,
  );
  const source = await deployed(ada, code, { store: idOf(store) });
  await ada.delete(store);
  await send(source);
  expect(await emitted(ada, source)).toEqual(["data_store: the store does not exist any more"]);
});
