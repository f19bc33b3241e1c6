// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { clientOf, operator, request, signUp, workspaceOf } from "../support/client.ts";
import { code, deployWorkflow } from "../support/workflow.ts";

const CODE = `export default { name: "N", version: "1.0.0", run() {} }`;

const named = async (username: string, email: string) =>
  (await operator.post("/users", { username, email })).body.data.id as string;

const lastUse = async (key: string) =>
  env.DB.prepare("SELECT last_used_at FROM api_keys WHERE id = ?").bind(key).first("last_used_at");

test("the operator lists users newest first, page by page, in both directions", async () => {
  const mark = crypto.randomUUID();
  const ids: string[] = [];
  for (const n of [1, 2, 3]) ids.unshift(await named(`user ${n}`, `${n}.${mark}@example.com`));

  const first = (await operator.get(`/users?q=${mark}&limit=2`)).body;
  expect(first.page_info).toMatchObject({ total_count: 3, count: 2 });
  const after = (await operator.get(`/users?q=${mark}&limit=2&after=${first.page_info.end_cursor}`))
    .body;
  expect([...first.data, ...after.data].map(({ id }) => id)).toEqual(ids);
  const before = (
    await operator.get(`/users?q=${mark}&limit=2&before=${after.page_info.start_cursor}`)
  ).body;
  expect(before.data).toEqual(first.data);
  for (const wrong of ["limit=0", "after=nowhere", "after=cjE&before=cjE"])
    expect(await operator.get(`/users?${wrong}`)).toMatchObject({ status: 400 });
});

test("finds users by id, e-mail address and name, and treats `%` and `_` literally", async () => {
  const mark = crypto.randomUUID().replaceAll("-", "");
  const plain = await named(`Ada${mark} Love`, `plain.${mark}@example.com`);
  const odd = await named(`50%_of${mark}`, `odd_${mark}@example.com`);
  const found = async (q: string) =>
    (await operator.get(`/users?q=${encodeURIComponent(q)}`)).body.data.map(
      ({ id }: { id: string }) => id,
    );
  expect(await found(plain)).toEqual([plain]);
  expect(await found(`PLAIN.${mark}@`)).toEqual([plain]);
  expect(await found(`ada${mark}`)).toEqual([plain]);
  expect(await found(`%_of${mark}`)).toEqual([odd]);
  expect(await found(`odd_${mark}`)).toEqual([odd]);
  expect(await found(`%${mark}`)).toEqual([]);
  expect(await found(`_${mark}`)).toEqual([odd]);
  expect(await found(`' OR 1=1 --`)).toEqual([]);
});

test("shows a user with the user's resources", async () => {
  const ada = await signUp("paid");
  await workspaceOf(ada);
  await ada.post("/sources", { component_code: CODE });
  await deployWorkflow({ owner: ada, steps: [{ name: "one", component_code: code("return 1") }] });
  await operator.post(`/users/${ada.user.id}/api_keys`, { name: "CI" });
  const shown = {
    id: ada.user.id,
    username: "ada",
    email: ada.user.email,
    plan: "paid",
    daily_invocations_quota: Number.MAX_SAFE_INTEGER,
    daily_compute_time_quota: Number.MAX_SAFE_INTEGER,
    daily_credits_quota: Number.MAX_SAFE_INTEGER,
    storage_quota: Number.MAX_SAFE_INTEGER,
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
    api_keys: 2,
    sources: 1,
    workflows: 1,
    workspaces: 1,
  };
  expect((await operator.get(`/users/${ada.user.id}`)).body.data).toEqual(shown);
  expect((await operator.get(`/users?q=${ada.user.id}`)).body.data).toEqual([shown]);
});

test("a user's name, address, plan and quotas change, and the address stays unique", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const path = `/users/${ada.user.id}`;
  const email = `${crypto.randomUUID()}@Example.com`;
  const change = { username: "Ada L.", email, plan: "paid", daily_credits_quota: 7 };
  expect(await operator.put(path, change)).toMatchObject({ status: 200, body: { data: change } });
  expect((await ada.get("/users/me")).body.data).toMatchObject({ username: "Ada L.", email });

  const taken = await operator.put(path, { username: "no", email: eve.user.email.toUpperCase() });
  expect(taken).toMatchObject({ status: 409, body: { code: "conflict" } });
  expect((await operator.get(path)).body.data).toMatchObject(change);
  expect(await operator.put(path, { email: email.toLowerCase() })).toMatchObject({ status: 200 });
  // The old address is free again, and the new one is not.
  const again = { username: "x", email: ada.user.email };
  expect(await operator.post("/users", again)).toMatchObject({ status: 200 });
  expect(await operator.post("/users", { username: "x", email })).toMatchObject({ status: 409 });

  for (const wrong of [{ id: "u_1" }, { email: "nowhere" }, { username: " " }, { plan: "gold" }])
    expect(await operator.put(path, wrong)).toMatchObject({ status: 400 });
  const unknown = { email: `${crypto.randomUUID()}@example.com` };
  expect(await operator.put("/users/u_nobody", unknown)).toMatchObject({ status: 404 });
  // The rejected change has claimed no address.
  expect(await operator.post("/users", { username: "x", ...unknown })).toMatchObject({
    status: 200,
  });
});

test("of two simultaneous changes to one address, one succeeds", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const email = `${crypto.randomUUID()}@example.com`;
  const answers = await Promise.all(
    [ada, eve].map(({ user }) => operator.put(`/users/${user.id}`, { email })),
  );
  expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 409]));
  expect((await operator.get(`/users?q=${email}`)).body.page_info.total_count).toBe(1);
});

test("keys are listed by name and last use, which is recorded once an hour", async () => {
  const ada = await signUp();
  const path = `/users/${ada.user.id}/api_keys`;
  const { id, api_key } = (await operator.post(path, { name: "CI" })).body.data;
  const never = (await operator.get(path)).body.data;
  expect(never).toHaveLength(2);
  const made = { created_at: expect.any(Number), last_used_at: null };
  expect(never).toContainEqual({ id: ada.user.api_key_id, name: null, ...made });
  expect(never).toContainEqual({ id, name: "CI", ...made });

  const ci = clientOf(api_key, "/v1");
  await ci.get("/users/me");
  await expect.poll(() => lastUse(id)).toBeGreaterThan(0);
  const now = Math.floor(Date.now() / 1000);
  const used = async (at: number) => {
    await env.DB.prepare("UPDATE api_keys SET last_used_at = ? WHERE id = ?").bind(at, id).run();
    await Promise.all([ci.get("/users/me"), ci.get("/users/me")]);
  };
  await used(now - 3000);
  // The response to a key that is due follows the recording of the earlier uses.
  await ada.get("/users/me");
  await expect.poll(() => lastUse(ada.user.api_key_id)).toBeGreaterThan(0);
  expect(await lastUse(id)).toBe(now - 3000);
  await used(now - 3700);
  await expect.poll(() => lastUse(id)).toBeGreaterThanOrEqual(now);

  const listed = JSON.stringify((await operator.get(path)).body);
  expect(listed).not.toContain(api_key);
  expect(listed).not.toMatch(/[0-9a-f]{64}/);
  await operator.delete(`/api_keys/${id}`);
  expect((await operator.get(path)).body.data).toHaveLength(1);
});

test("only the operator reads the directory of users", async () => {
  const ada = await signUp();
  const asAda = clientOf(ada.user.api_key, "/admin");
  for (const path of ["/users", `/users/${ada.user.id}`, `/users/${ada.user.id}/api_keys`])
    expect(await asAda.get(path)).toMatchObject({ status: 401 });
  expect(await asAda.put(`/users/${ada.user.id}`, { plan: "paid" })).toMatchObject({ status: 401 });
  const forced = `/admin/users/${ada.user.id}?force=true`;
  expect(await asAda.delete(`/users/${ada.user.id}?force=true`)).toMatchObject({ status: 401 });
  expect(await request("DELETE", forced)).toMatchObject({ status: 401 });
  expect(await ada.get("/users/me")).toMatchObject({ status: 200 });
});
