// @suites loader

import { expect, test } from "vitest";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { newStore } from "../support/data-store.ts";

test("an owner creates, lists, reads and deletes a data store", async () => {
  const ada = await signUp();
  const created = await ada.post("/data_stores", { name: "Customers" });
  expect(created).toMatchObject({
    status: 200,
    body: {
      data: {
        id: expect.stringMatching(/^ds_/),
        owner_id: ada.user.id,
        user_id: ada.user.id,
        name: "Customers",
      },
    },
  });
  const { data } = created.body;
  expect((await ada.get("/users/me/data_stores")).body).toMatchObject({
    page_info: { total_count: 1 },
    data: [data],
  });
  expect((await ada.get(`/data_stores/${data.id}`)).body).toEqual({
    data: { ...data, record_count: 0, size_bytes: 0 },
  });
  expect(await ada.delete(`/data_stores/${data.id}`)).toMatchObject({ status: 204 });
  expect(await ada.get(`/data_stores/${data.id}`)).toMatchObject({ status: 404 });
  expect(await ada.delete(`/data_stores/${data.id}`)).toMatchObject({ status: 404 });
});

test("a workspace's data store is its members'", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, bob);
  const { body } = await ada.post("/data_stores", { name: "Shared", workspace_id: workspace });
  expect(body.data.owner_id).toBe(workspace);
  expect((await bob.get(`/orgs/${workspace}/data_stores`)).body.data).toEqual([body.data]);
  expect((await bob.get("/users/me/data_stores")).body.data).toEqual([]);
  const record = `/data_stores/${body.data.id}/records/k`;
  expect(await bob.put(record, { value: 1 })).toMatchObject({ status: 200 });
  for (const path of [
    record,
    `/data_stores/${body.data.id}`,
    `/workspaces/${workspace}/data_stores`,
  ])
    expect(await eve.get(path)).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect(await eve.put(record, { value: 2 })).toMatchObject({ status: 404 });
  expect(await eve.delete(record)).toMatchObject({ status: 404 });
  expect((await ada.get(record)).body.data.value).toBe(1);
});

test.for([
  ["plain", { a: [1, null, "x"] }],
  ["with space/slash", "text"],
  ["ünïcödé ✓ 100%", false],
  ["a%2Fb", null],
] as const)("writes, reads and deletes the record with the key %s", async ([key, value]) => {
  const ada = await signUp();
  const record = `${await newStore(ada)}/records/${encodeURIComponent(key)}`;
  const kept = await ada.put(record, { value });
  expect(kept.body.data).toEqual({
    key,
    value,
    updated_at_ms: expect.any(Number),
    expires_at_ms: null,
  });
  expect((await ada.get(record)).body).toEqual(kept.body);
  expect(await ada.delete(record)).toMatchObject({ status: 204 });
  expect(await ada.get(record)).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect(await ada.delete(record)).toMatchObject({ status: 404 });
});

test("records are listed by key, page by page in both directions", async () => {
  const ada = await signUp();
  const store = await newStore(ada);
  for (const key of ["d", "a", "c", "b", "e"])
    await ada.put(`${store}/records/${key}`, { value: key });
  const page = async (query: string) => (await ada.get(`${store}/records?limit=2${query}`)).body;
  const keys = ({ data }: { data: { key: string }[] }) => data.map(({ key }) => key);
  const first = await page("");
  expect(first.page_info).toMatchObject({ total_count: 5, count: 2 });
  const second = await page(`&after=${first.page_info.end_cursor}`);
  const third = await page(`&after=${second.page_info.end_cursor}`);
  expect([first, second, third].map(keys)).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  expect(keys(await page(`&before=${third.page_info.start_cursor}`))).toEqual(["c", "d"]);
  expect(await ada.get(`${store}/records?after=x`)).toMatchObject({ status: 400 });
});

test.for([
  [{}, "value: is required"],
  [{ value: 1, ttl: 0 }, "ttl: it must be a number of seconds above 0"],
  [{ value: 1, ttl: -5 }, "ttl: it must be a number of seconds above 0"],
  [
    { value: "x".repeat(1024 * 1024) },
    "value: a record may have at most 1 MB with its key, this one has 1048579 bytes",
  ],
] as const)("rejects a record with its reason: %o", async ([body, message]) => {
  const ada = await signUp();
  const store = await newStore(ada);
  const answer = await ada.put(`${store}/records/k`, body);
  expect(answer).toMatchObject({ status: 400, body: { code: "invalid_input" } });
  expect(answer.body.error).toContain(message);
  expect((await ada.get(`${store}/records`)).body.data).toEqual([]);
});

test("rejects a key that is too long", async () => {
  const ada = await signUp();
  const answer = await ada.put(`${await newStore(ada)}/records/${"k".repeat(1025)}`, { value: 1 });
  expect(answer).toMatchObject({
    status: 400,
    body: { error: "key: it may have at most 1024 bytes, this one has 1025" },
  });
});

test("a record with a ttl shows its expiry", async () => {
  const ada = await signUp();
  const store = await newStore(ada);
  const before = Date.now();
  const { data } = (await ada.put(`${store}/records/k`, { value: 1, ttl: 60 })).body;
  expect(data.expires_at_ms - data.updated_at_ms).toBe(60_000);
  expect(data.updated_at_ms).toBeGreaterThanOrEqual(before);
});

test("the operator creates, lists, reads and deletes anyone's data stores", async () => {
  const ada = await signUp();
  const created = await operator.post("/data_stores", { owner_id: ada.user.id, name: "Given" });
  const { id } = created.body.data;
  expect(created.body.data).toMatchObject({ owner_id: ada.user.id, user_id: null });
  await ada.put(`/data_stores/${id}/records/k`, { value: [1] });
  expect((await operator.get(`/data_stores?owner_id=${ada.user.id}`)).body).toMatchObject({
    page_info: { total_count: 1 },
    data: [{ id }],
  });
  expect((await operator.get("/data_stores?limit=1")).body.data).toHaveLength(1);
  expect((await operator.get(`/data_stores/${id}`)).body.data).toMatchObject({
    record_count: 1,
    size_bytes: 4,
  });
  expect((await operator.get(`/data_stores/${id}/records`)).body.data).toMatchObject([
    { key: "k", value: [1] },
  ]);
  expect(await operator.delete(`/data_stores/${id}`)).toMatchObject({ status: 204 });
  expect(await ada.get(`/data_stores/${id}`)).toMatchObject({ status: 404 });
});

test("the operator cannot create a data store for a missing owner", async () => {
  for (const owner of ["u_nobody", "o_nobody"])
    expect(await operator.post("/data_stores", { owner_id: owner, name: "x" })).toMatchObject({
      status: 400,
      body: { error: "owner_id: there is no such user or workspace" },
    });
});
