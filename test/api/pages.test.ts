// @suites loader

import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { sources } from "#db/schema/tables.ts";
import { type Id, newId } from "#domain/ids.ts";

import { newCaller, ok } from "../support/api.ts";
import { signUp, workspaceOf } from "../support/client.ts";

type Caller = Awaited<ReturnType<typeof newCaller>>;

/** Rows as a deployment inserts them; a page reads nothing else of a source. */
async function insert({ user }: Caller, ...names: string[]) {
  const rows = names.map((name) => ({
    id: newId("source"),
    ownerId: user.id as Id<"user">,
    userId: user.id as Id<"user">,
    componentId: newId("component"),
    name,
    nameSlug: name,
    active: true,
    state: "live" as const,
    shownProps: {},
    endpoints: {},
    createdAt: 1,
    updatedAt: 1,
  }));
  for (const row of rows) await connect(env.DB).insert(sources).values(row);
  return rows;
}

const refusalOf = (path: string) => ({
  status: 400,
  data: {
    code: "invalid_input",
    details: { issues: [{ path, message: "must be a cursor that this list returned" }] },
  },
});

const names = (data: { name: string }[]) => data.map(({ name }) => name);

test("a reader that follows the cursors sees each row once while rows are added and deleted", async () => {
  const ada = await newCaller();
  const rows = await insert(ada, "a", "b", "c", "d", "e", "f", "g");
  const seen: string[] = [];
  let cursor: { after?: string } = {};
  for (let page = 0; ; page += 1) {
    const { data, page_info } = ok(await ada.api.listSources({ limit: 2, ...cursor }));
    if (data.length === 0) break;
    seen.push(...names(data));
    cursor = { after: page_info.end_cursor ?? "" };
    await insert(ada, `new-${page}`);
    // The cursor's row is deleted, and one that was not read yet.
    for (const gone of page === 0 ? [data.at(-1), rows[1]] : [])
      await ada.api.deleteSource({ id: gone?.id ?? "" });
  }
  expect(seen).toEqual(["g", "f", "e", "d", "c", "a"]);
});

test("before returns the rows nearest to the cursor, in the order of the list", async () => {
  const ada = await newCaller();
  await insert(ada, "a", "b", "c", "d", "e");
  const last = ok(await ada.api.listSources({ limit: 5 }));
  const before = last.page_info.end_cursor ?? "";
  const page = ok(await ada.api.listSources({ limit: 2, before }));
  expect(names(page.data)).toEqual(["c", "b"]);
  expect(page.page_info).toMatchObject({ total_count: 5, count: 2 });
  expect(names(ok(await ada.api.listSources({ before })).data)).toEqual(["e", "d", "c", "b"]);
});

test("a cursor shows nothing of other tenants, and only its list returns what comes after it", async () => {
  const [ada, bob] = await Promise.all([newCaller(), newCaller()]);
  await Promise.all([insert(ada, "a", "b"), insert(bob, "c", "d")]);
  const { start_cursor } = ok(await ada.api.listSources()).page_info;
  const cursor = start_cursor ?? "";
  expect(cursor).toMatch(/^c1\.[\w-]{40,}$/);
  expect(names(ok(await ada.api.listSources({ after: cursor })).data)).toEqual(["a"]);

  const altered = cursor.slice(0, -1) + (cursor.endsWith("A") ? "B" : "A");
  for (const after of [altered, "c1.AAAA", "r1", ""])
    expect(await ada.api.listSources({ after })).toMatchObject(refusalOf("after"));
  expect(await ada.api.listSources({ before: altered })).toMatchObject(refusalOf("before"));
  expect(await bob.api.listSources({ after: cursor })).toMatchObject(refusalOf("after"));
  expect(await ada.api.listWebhooks({ after: cursor })).toMatchObject(refusalOf("after"));
});

test("members of a workspace share the cursors of its lists, under both of their paths", async () => {
  const [ada, bob, eve] = await Promise.all([signUp(), signUp(), signUp()]);
  const workspace = await workspaceOf(ada, bob);
  const other = await workspaceOf(eve);
  for (const name of ["a", "b"]) await ada.post("/data_stores", { name, org_id: workspace });
  const path = `/workspaces/${workspace}/data_stores`;
  const { end_cursor: after } = (await ada.get(`${path}?limit=1`)).body.page_info;
  for (const get of [ada.get, bob.get])
    for (const shared of [path, `${path}/`, `/orgs/${workspace}/data_stores`])
      expect(names((await get(`${shared}?after=${after}`)).body.data)).toEqual(["a"]);
  const refused = await eve.get(`/workspaces/${other}/data_stores?after=${after}`);
  expect(refused).toMatchObject({ status: 400, body: refusalOf("after").data });
});

test("a cursor of an earlier release is read", async () => {
  const ada = await newCaller();
  await insert(ada, "a", "b");
  const seqs = await connect(env.DB)
    .select({ seq: sources.seq })
    .from(sources)
    .where(eq(sources.ownerId, ada.user.id as Id<"user">));
  const after = btoa(`r${Math.max(...seqs.map(({ seq }) => seq))}`).replaceAll("=", "");
  expect(names(ok(await ada.api.listSources({ after })).data)).toEqual(["a"]);
});

test("an empty page has no cursors, and two cursors are rejected", async () => {
  const ada = await newCaller();
  expect(ok(await ada.api.listSources()).page_info).toEqual({
    total_count: 0,
    count: 0,
    start_cursor: null,
    end_cursor: null,
  });
  await insert(ada, "a");
  const { end_cursor } = ok(await ada.api.listSources()).page_info;
  const cursor = end_cursor ?? "";
  expect(await ada.api.listSources({ after: cursor, before: cursor })).toMatchObject({
    status: 400,
    data: { error: expect.stringContaining("before") },
  });
});

test("the count of a list follows deployments and deletions, without reading the list", async () => {
  const ada = await newCaller();
  const total = async () => ok(await ada.api.listSources({ limit: 1 })).page_info.total_count;
  const component_code = `export default { name: "N", version: "1" }`;
  const failing = `export default { name: "N", version: "1", hooks: { deploy() { throw 1 } } }`;
  const { data } = ok(await ada.api.createSource({ body: { component_code } }));
  await ada.api.createSource({ body: { component_code } });
  expect(await ada.api.createSource({ body: { component_code: failing } })).toMatchObject({
    status: 422,
  });
  expect(await total()).toBe(2);
  await ada.api.updateSource({ id: data.id, body: { active: false } });
  expect(await total()).toBe(2);
  await ada.api.deleteSource({ id: data.id });
  await ada.api.deleteSource({ id: data.id });
  expect(await total()).toBe(1);

  const plan = await env.DB.prepare(
    `EXPLAIN QUERY PLAN SELECT * FROM sources WHERE owner_id = ? AND state = 'live' AND seq < 9
     ORDER BY seq DESC LIMIT 10`,
  )
    .bind(ada.user.id)
    .all<{ detail: string }>();
  expect(plan.results.map(({ detail }) => detail)).toEqual([
    expect.stringContaining("SEARCH sources USING INDEX sources_by_owner (owner_id=? AND state=?"),
  ]);
});

test("webhooks and data stores are counted on creation and deletion", async () => {
  const { api } = await newCaller();
  const hook = ok(await api.createWebhook({ url: "http://a.example" })).data;
  await api.createWebhook({ url: "http://b.example" });
  await api.deleteWebhook({ id: hook.id });
  expect(ok(await api.listWebhooks()).page_info.total_count).toBe(1);
  const store = ok(await api.createDataStore({ body: { name: "S" } })).data;
  expect(ok(await api.listDataStores()).page_info.total_count).toBe(1);
  await api.deleteDataStore({ id: store.id });
  expect(ok(await api.listDataStores()).page_info.total_count).toBe(0);
});
