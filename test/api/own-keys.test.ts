// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { addOwnerUsage } from "#db/usage.ts";
import { dayOf } from "#domain/billing.ts";

import { clientOf, operator, signUp, workspaceOf } from "../support/client.ts";

const DAY = 24 * 3600;

test("users create, list and revoke their own keys", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const made = (await ada.post("/api_keys", { name: "Laptop" })).body.data;
  expect(made).toMatchObject({ name: "Laptop", api_key: expect.any(String) });
  const other = clientOf(made.api_key, "/v1");
  const { data } = (await other.get("/api_keys")).body;
  expect(data).toHaveLength(2);
  const shown = { created_at: expect.any(Number), is_current: true, name: "Laptop" };
  expect(data).toContainEqual(expect.objectContaining({ id: made.id, ...shown }));
  expect(JSON.stringify(data)).not.toContain(made.api_key);
  expect((await eve.delete(`/api_keys/${made.id}`)).status).toBe(404);
  expect((await eve.get("/api_keys")).body.data).toHaveLength(1);
  expect((await ada.delete(`/api_keys/${made.id}`)).status).toBe(204);
  expect((await other.get("/api_keys")).status).toBe(401);
  expect((await ada.delete(`/api_keys/${made.id}`)).status).toBe(404);
});

test("a user has at most a hundred keys", async () => {
  const ada = await signUp();
  await env.DB.prepare(
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99) INSERT INTO api_keys (id, hash, user_id, created_at) SELECT 'key_' || ?1 || i, ?1 || i, ?1, 1 FROM n",
  )
    .bind(ada.user.id)
    .run();
  expect(await ada.post("/api_keys")).toMatchObject({ status: 409, body: { code: "conflict" } });
});

test("shows usage day by day, including days without any", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, bob);
  const now = Date.now() / 1000;
  const [today, before] = [dayOf(now), dayOf(now - 2 * DAY)];
  const used = { invocations: 3, computeMs: 400, credits: 3 };
  for (const owner of [ada.user.id, workspace])
    await addOwnerUsage(connect(env.DB), owner as `u_${string}`, { ...used, day: before });
  const nothing = { invocations: 0, compute_ms: 0, credits: 0 };
  const { data } = (await ada.get(`/usage?from=${before}`)).body;
  expect(data).toEqual([
    { day: before, invocations: 3, compute_ms: 400, credits: 3 },
    { day: dayOf(now - DAY), ...nothing },
    { day: today, ...nothing },
  ]);
  expect((await ada.get("/usage")).body.data).toHaveLength(30);
  expect((await bob.get(`/usage?from=${before}&to=${before}`)).body.data).toEqual([
    { day: before, ...nothing },
  ]);
  const ofAll = `/usage?from=${before}&to=${before}&org_id=${workspace}`;
  expect((await bob.get(ofAll)).body.data).toMatchObject([{ invocations: 3 }]);
  const limits = { daily_invocations_quota: 9, daily_credits_quota: 7 };
  for (const owner of [`users/${ada.user.id}`, `workspaces/${workspace}`])
    await operator.put(`/${owner}/quotas`, limits);
  const unset = Number.MAX_SAFE_INTEGER;
  const quotas = { ...limits, daily_compute_time_quota: unset, storage_quota: unset };
  expect((await ada.get("/usage")).body.quotas).toEqual(quotas);
  expect((await bob.get(ofAll)).body.quotas).toEqual(quotas);
  expect((await eve.get(ofAll)).status).toBe(404);
  for (const query of [
    "from=yesterday",
    "from=2026-02-30",
    `from=${today}&to=${before}`,
    "from=2020-01-01",
  ])
    expect([query, (await ada.get(`/usage?${query}`)).status]).toEqual([query, 400]);
  const { body } = await operator.get(`/users/${ada.user.id}/usage?from=${before}&to=${before}`);
  expect(body.data).toMatchObject([{ invocations: 3 }]);
  const ofWorkspace = `/workspaces/${workspace}/usage?from=${before}&to=${before}`;
  expect((await operator.get(ofWorkspace)).body.data).toMatchObject([{ invocations: 3 }]);
});

test("members see their workspaces and the members of each", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, bob);
  expect((await bob.get("/workspaces")).body.data).toMatchObject([
    { id: workspace, name: "Engines", daily_credits_used: 0 },
  ]);
  expect((await eve.get("/workspaces")).body.data).toEqual([]);
  const path = `/workspaces/${workspace}/members`;
  const { body } = await ada.get(path);
  expect(body.page_info.total_count).toBe(2);
  expect(body.data).toEqual(
    [bob, ada].map(({ user }) => ({
      user_id: user.id,
      username: "ada",
      email: user.email,
      joined_at: expect.any(Number),
    })),
  );
  const first = (await ada.get(`${path}?limit=1`)).body;
  const rest = (await ada.get(`${path}?limit=1&after=${first.page_info.end_cursor}`)).body;
  expect([first.data[0].user_id, rest.data[0].user_id]).toEqual([bob.user.id, ada.user.id]);
  expect((await eve.get(path)).status).toBe(404);
  expect((await operator.get(path)).body.data).toEqual(body.data);
  const { data } = (await operator.get(`/workspaces?q=${workspace}`)).body;
  expect(data).toMatchObject([
    { id: workspace, members: 2, sources: 0, daily_credits_quota: Number.MAX_SAFE_INTEGER },
  ]);
});
