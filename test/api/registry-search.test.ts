// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { connect, type Database } from "#db/client.ts";
import { unindexedComponents } from "#db/registry-index.ts";
import { registryIndexed, registryTerms } from "#db/schema/derived.ts";
import { newToken } from "#domain/ids.ts";
import { INDEX_VERSION } from "#domain/search.ts";
import { sweep } from "#services/maintenance/sweep.ts";
import { openContext } from "#worker/bindings.ts";

import { newCaller, ok } from "../support/api.ts";
import { operator } from "../support/client.ts";

/** Words of its own isolate each test from components that others publish. */
async function publish(key: string, name: string, description = "", version = "1.0.0") {
  const component = { key, name, description, version, type: "source" };
  const code = `export default { ...${JSON.stringify(component)}, props: { shop: "string" }, run() {} }`;
  const { status, body } = await operator.post("/registry", { component_code: code });
  expect(status).toBe(200);
  return body.data.id as string;
}

test("a search finds a published component by words of its key, name and description", async () => {
  const { api } = await newCaller();
  const id = await publish("quaxx_vendix-new-order", "New Ördér", "Emits when Quaxxine sells");
  const keys = async (query: string) =>
    ok(await api.searchComponents({ query })).data.map(({ key }) => key);
  for (const query of [
    "quaxx",
    "QUAXX order",
    "quaxxine",
    "quaxx_vendix-new-order",
    "order quaxxi",
  ])
    expect([query, await keys(query)]).toEqual([query, ["quaxx_vendix-new-order"]]);
  for (const query of ["quaxx nothing", "axxine"]) expect(await keys(query)).toEqual([]);
  const [found] = ok(await api.searchComponents({ query: "quaxx" })).data;
  expect(found).toMatchObject({
    id,
    type: "source",
    name: "New Ördér",
    description: "Emits when Quaxxine sells",
    version: "1.0.0",
    configurable_props: [{ name: "shop", type: "string" }],
  });
  expect(found).not.toHaveProperty("code");
});

test("a search finds one's own components too, and nobody else's", async () => {
  const [ada, eve] = [await newCaller(), await newCaller()];
  const code = `export default { key: "wumbix-ticket", name: "Wumbix ticket", version: "0.0.1", type: "action", run() {} };`;
  ok(await ada.api.publishComponent({ componentCode: code }));
  const keys = async ({ api }: typeof ada) =>
    ok(await api.searchComponents({ query: "wumbix" })).data.map(({ key }) => key);
  expect([await keys(ada), await keys(eve)]).toEqual([["wumbix-ticket"], []]);
});

test("the best matches come first: the exact key, then names, keys and descriptions", async () => {
  const { api } = await newCaller();
  await publish("zorbil-told", "Other", "A zorb is described");
  await publish("zorb-keyed", "Other");
  await publish("other-named", "Zorb");
  await publish("other-begun", "Zorbastic");
  await publish("zorb", "Other");
  const { data, page_info } = ok(await api.searchComponents({ query: "zorb" }));
  expect(data.map(({ key }) => key)).toEqual([
    "zorb",
    "other-named",
    "zorb-keyed",
    "other-begun",
    "zorbil-told",
  ]);
  expect(page_info).toMatchObject({ total_count: 5, count: 5 });
});

test("pages of hits follow each other in both directions", async () => {
  const { api } = await newCaller();
  for (const n of [1, 2, 3, 4, 5]) await publish(`pagely-${n}`, `Pagely`);
  const page = async (cursors: object) => {
    const { data, page_info } = ok(
      await api.searchComponents({ query: "pagely", limit: 2, ...cursors }),
    );
    expect(page_info.total_count).toBe(5);
    return { keys: data.map(({ key }) => key?.slice(7)), page_info };
  };
  const first = await page({});
  const second = await page({ after: first.page_info.end_cursor });
  const third = await page({ after: second.page_info.end_cursor });
  expect([first, second, third].map(({ keys }) => keys)).toEqual([["1", "2"], ["3", "4"], ["5"]]);
  expect((await page({ before: third.page_info.start_cursor })).keys).toEqual(["3", "4"]);
  expect((await page({ before: first.page_info.start_cursor })).keys).toEqual([]);
});

test("a new version is found only by its own words", async () => {
  const { api } = await newCaller();
  await publish("vexil", "Oldish");
  await publish("vexil", "Newish", "", "2.0.0");
  const versions = async (query: string) =>
    ok(await api.searchComponents({ query })).data.map(({ version }) => version);
  expect(await versions("vexil oldish")).toEqual([]);
  expect(await versions("vexil newish")).toEqual(["2.0.0"]);
});

test.for([
  ["by a release without search", (db: Database) => db.delete(registryIndexed)],
  [
    "by a release with another index",
    (db: Database) => db.update(registryIndexed).set({ indexVersion: 0 }),
  ],
  [
    "over it by another release",
    (db: Database) => db.update(registryIndexed).set({ componentId: "sc_other" }),
  ],
] as const)("the sweep indexes a version published %s", async ([, disturb]) => {
  const { api } = await newCaller();
  const key = `fossil-${newToken()}`;
  await publish(key, "Fossil");
  const db = connect(env.DB);
  await db.delete(registryTerms);
  await disturb(db);
  expect(ok(await api.searchComponents({ query: key })).data).toEqual([]);
  // Tests beside this one publish too, and a sweep indexes a limited number.
  await expect
    .poll(async () => {
      await sweep(openContext(env));
      return unindexedComponents(db, INDEX_VERSION, 1);
    })
    .toEqual([]);
  expect(ok(await api.searchComponents({ query: key })).data).toHaveLength(1);
});

test.for([
  ["no query", {}],
  ["an empty query", { query: "" }],
  ["a query of punctuation", { query: "%_*'\"" }],
  ["a query of emoji", { query: "🎉🎉" }],
  ["a query of stop words", { query: "when is it" }],
  ["a query of 1,001 letters", { query: "word ".repeat(200) + "s" }],
  ["an unknown type", { query: "word", $type: "trigger" }],
  ["a cursor of another list", { query: "word", after: "cjE" }],
  ["both cursors", { query: "word", after: "aDE6YQ", before: "aDE6YQ" }],
  ["a limit of 101", { query: "word", limit: 101 }],
] as const)("a search with %s is refused", async ([, query]) => {
  const { api } = await newCaller();
  const search = api.searchComponents as (args: object) => Promise<{ status: number }>;
  expect(await search({ query: "word" })).toMatchObject({ status: 200 });
  expect(await search(query)).toMatchObject({ status: 400, data: { code: "invalid_input" } });
});

test("rejects a search for ten thousand words, and accepts one for a thousand letters", async () => {
  const { api } = await newCaller();
  const search = async (query: string) => (await api.searchComponents({ query })).status;
  expect(await search("word ".repeat(10_000))).toBe(414);
  const words = Array.from({ length: 1000 }, (_, n) => String.fromCodePoint(0x4e00 + n));
  expect(await search("abcdefghi ".repeat(100))).toBe(200);
  expect(await search(words.join(""))).toBe(200);
  expect(await search(words.slice(0, 500).join(" "))).toBe(200);
});

test.for([`name:quirl*`, `"quirl" OR NEAR(quirl)`, "quirl%", "quirl'; --", "quirl\\ [\u0000]"])(
  "searches for the words of %j alone",
  async (query) => {
    const { api } = await newCaller();
    await publish(`quirl-${newToken()}`, "Quirl near name");
    const { data } = ok(await api.searchComponents({ query }));
    expect(data[0]?.name).toBe("Quirl near name");
  },
);
