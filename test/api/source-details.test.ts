import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { signUp, workspaceOf } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { storeInServiceDb } from "../support/source-tables.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

const KEEPING = `export default { name: "Keeping", version: "1",
  props: { db: "$.service.db", http: "$.interface.http", timer: { type: "$.interface.timer", default: { intervalSeconds: 900 } } },
  run({ body }) { for (const [key, value] of Object.entries(body ?? {})) this.db.set(key, value); } }`;

const code = (word: string) =>
  `export default { key: "versioned", name: "Versioned", version: "1.0.0", run() { return "${word}" } }`;

async function deploy(client: Client, body: object) {
  const answer = await client.post("/sources", body);
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  return answer.body.data;
}

test("the state of a source is read in pages with truncated values, and a single key whole", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const org_id = await workspaceOf(ada, bob);
  const { id, configured_props } = await deploy(ada, { component_code: KEEPING, org_id });
  const long = "é".repeat(20_000);
  const url = configured_props.http.endpoint_url;
  await sendJson(url, { a: { n: 1 }, b: long, c: [1, 2] });
  const stateOf = async (query = "") => (await bob.get(`/sources/${id}/state${query}`)).body.data;
  await expect.poll(async () => (await stateOf()).keys).toBe(3);
  const state = await stateOf();
  expect(state).toMatchObject({ db: { a: { n: 1 }, c: [1, 2] }, truncated: ["b"], next: null });
  expect(state.db.b).toBe(JSON.stringify(long).slice(0, 16_384));
  expect(state.bytes).toBeGreaterThan(40_000);
  expect(state.timers).toEqual([
    { prop: "timer", next_at_ms: expect.any(Number), interval_seconds: 900 },
  ]);
  expect(await stateOf("?key=b")).toMatchObject({ db: { b: long }, truncated: [] });
  expect((await stateOf("?key=none")).db).toEqual({});
  const first = await stateOf("?limit=2");
  expect([Object.keys(first.db), first.next]).toEqual([["a", "b"], "b"]);
  const second = await stateOf("?limit=2&after=b");
  expect([Object.keys(second.db), second.next]).toEqual([["c"], null]);
  expect((await eve.get(`/sources/${id}/state`)).status).toBe(404);
});

test("a value that an older release stored and that is nested too deep is read as text", async () => {
  const ada = await signUp();
  const { id } = await deploy(ada, { component_code: KEEPING });
  const deep = "[".repeat(5000) + "]".repeat(5000);
  await storeInServiceDb(env.SOURCES.getByName(id), { deep, flat: "1" });
  const { status, body } = await ada.get(`/sources/${id}/state`);
  expect(status).toBe(200);
  expect(body.data.db).toEqual({ deep, flat: 1 });
});

test("a page of state stays small for any stored values", async () => {
  const ada = await signUp();
  const { id, configured_props } = await deploy(ada, { component_code: KEEPING });
  const values = Array.from({ length: 30 }, (_, n) => [
    `k${String(n).padStart(2, "0")}`,
    "x".repeat(15_000),
  ]);
  await sendJson(configured_props.http.endpoint_url, Object.fromEntries(values));
  const read = async () => (await ada.get(`/sources/${id}/state`)).body.data;
  await expect.poll(async () => (await read()).keys).toBe(30);
  const { db, truncated } = await read();
  expect(Object.keys(db)).toHaveLength(30);
  expect(truncated.length).toBeGreaterThan(10);
  expect(JSON.stringify(db).length).toBeLessThan(300_000);
});

test("each deployment of other code creates a version with readable code", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const org_id = await workspaceOf(ada, bob);
  const source = await deploy(ada, { component_code: code("one"), org_id });
  const path = `/sources/${source.id}`;
  await ada.put(path, { name: "renamed" });
  await bob.put(path, { component_code: code("two") });
  const { body } = await ada.get(`${path}/versions`);
  expect(body.page_info.total_count).toBe(2);
  expect(body.data).toMatchObject([
    { version: 2, by: bob.user.id, is_current: true, key: "versioned", component_version: "1.0.0" },
    { version: 1, by: ada.user.id, is_current: false, component_id: source.component_id },
  ]);
  expect(body.data[0].at).toBeGreaterThanOrEqual(body.data[1].at);
  const codeOf = async (at: string) => (await bob.get(`${path}${at}`)).body.data;
  const entry = { entry: "component.js", truncated: false };
  expect(await codeOf("/code")).toMatchObject({
    ...entry,
    version: 2,
    files: [{ path: "component.js", code: code("two") }],
  });
  expect(await codeOf("/versions/1/code")).toMatchObject({
    ...entry,
    version: 1,
    files: [{ code: code("one") }],
  });
  const page = (await ada.get(`${path}/versions?limit=1&after=${body.page_info.start_cursor}`))
    .body;
  expect(page.data).toMatchObject([{ version: 1, is_current: false }]);
  for (const strange of ["/code", "/versions", "/versions/1/code"])
    expect((await eve.get(path + strange)).status).toBe(404);
  for (const none of ["3", "0", "x"])
    expect((await ada.get(`${path}/versions/${none}/code`)).status).toBe(404);
  await ada.delete(path);
  const left = await env.DB.prepare("SELECT 1 FROM source_versions WHERE source_id = ?")
    .bind(source.id)
    .all();
  expect(left.results).toEqual([]);
});

test("a failed update creates no version, and the newest hundred versions are kept", async () => {
  const ada = await signUp();
  const source = await deploy(ada, { component_code: code("one") });
  const failing = `export default { name: "F", version: "1", hooks: { activate() { throw new Error("no") } }, run() {} }`;
  expect((await ada.put(`/sources/${source.id}`, { component_code: failing })).status).toBe(422);
  const listed = async () => (await ada.get(`/sources/${source.id}/versions?limit=100`)).body;
  expect((await listed()).page_info.total_count).toBe(1);
  await env.DB.prepare("UPDATE source_versions SET version = 150 WHERE source_id = ?")
    .bind(source.id)
    .run();
  await env.DB.prepare(
    "INSERT INTO source_versions (source_id, version, component_id, created_at) SELECT source_id, 50, component_id, created_at FROM source_versions WHERE source_id = ?",
  )
    .bind(source.id)
    .run();
  await ada.put(`/sources/${source.id}`, { component_code: code("two") });
  expect((await listed()).data.map(({ version }: { version: number }) => version)).toEqual([
    151, 150,
  ]);
});

test("shows all files of a component", async () => {
  const ada = await signUp();
  const component_files = {
    "sources/new.ts": `import { word } from "../common/word.ts"; export default { name: word, version: "1", run() {} };`,
    "common/word.ts": `export const word = "Filed";`,
  };
  const source = await deploy(ada, { component_files, entry: "sources/new.ts" });
  const { data } = (await ada.get(`/sources/${source.id}/code`)).body;
  expect(data).toMatchObject({ entry: "sources/new.ts", name: "Filed", truncated: false });
  const files = data.files.map((file: { path: string; code: string }) => [file.path, file.code]);
  expect(Object.fromEntries(files)).toEqual(component_files);
});

test("shows a timer's next ticks, and rejects an invalid timer", async () => {
  const ada = await signUp();
  const ticksOf = async (query: string) => (await ada.get(`/timers/preview?${query}`)).body;
  const daily = await ticksOf("cron=0%209%20*%20*%20*&timezone=Europe/Berlin&count=3");
  expect(daily.data.ticks).toHaveLength(3);
  for (const at of daily.data.ticks)
    expect(new Date(at).toLocaleString("en-GB", { timeZone: "Europe/Berlin" })).toContain(
      "09:00:00",
    );
  const { ticks } = (await ticksOf("interval_seconds=60")).data;
  expect(ticks.map((at: number) => at - ticks[0])).toEqual([0, 60_000, 120_000, 180_000, 240_000]);
  const refused = [
    ["cron=nonsense", "cron"],
    ["cron=0%209%20*%20*%20*&timezone=Mars/Base", "timezone"],
    ["interval_seconds=1", "interval_seconds"],
    ["", "cron"],
    ["cron=0%209%20*%20*%20*&interval_seconds=60", "cron"],
  ];
  for (const [query = "", path] of refused)
    expect([query, await ticksOf(query)]).toMatchObject([
      query,
      { details: { issues: [{ path }] } },
    ]);
});
