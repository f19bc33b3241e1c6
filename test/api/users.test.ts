// @suites loader

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { recordUsage } from "#db/usage-reports.ts";
import { dayOf } from "#domain/billing.ts";
import type { OwnerId } from "#domain/ids.ts";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { send } from "../support/deploy.ts";
import { runsCommitted } from "../support/source-tables.ts";
import { reportOf } from "../support/usage.ts";

/** Report a use of ten invocations, a second of compute and twelve credits. */
async function meter(ownerId: OwnerId, emitter: string, day: string) {
  const days = [{ day, invocations: 10, computeMs: 1000, credits: 12 }];
  await recordUsage(connect(env.DB), reportOf(ownerId, `dc_${emitter}`, days), day);
}

const now = () => Math.floor(Date.now() / 1000);

test("a free user sees quotas, today's use and the workspaces", async () => {
  const ada = await signUp();
  const id = await workspaceOf(ada);
  await workspaceOf();
  const today = dayOf(now());
  await meter(ada.user.id, "a", today);
  await meter(ada.user.id, "b", today);
  await meter(ada.user.id, "a", "2000-01-01");
  await meter(id as OwnerId, "c", today);

  expect(await ada.get("/users/me")).toMatchObject({ status: 200 });
  expect((await ada.get("/users/me")).body.data).toEqual({
    id: ada.user.id,
    username: "ada",
    email: ada.user.email,
    daily_compute_time_quota: Number.MAX_SAFE_INTEGER,
    daily_compute_time_used: 2000,
    daily_invocations_quota: Number.MAX_SAFE_INTEGER,
    daily_invocations_used: 20,
    orgs: [
      {
        id,
        orgname: "engines",
        name: "Engines",
        email: "engines@example.com",
        daily_credits_quota: Number.MAX_SAFE_INTEGER,
        daily_credits_used: 12,
      },
    ],
  });
});

test("a workspace on a legacy plan also shows its members invocations and compute", async () => {
  const ada = await signUp();
  const { body } = await operator.post("/workspaces", {
    orgname: "old",
    name: "Old",
    email: "old@example.com",
    plan: "legacy",
  });
  const { id } = body.data;
  await operator.put(`/workspaces/${id}/members/${ada.user.id}`);
  await operator.put(`/workspaces/${id}/quotas`, { daily_invocations_quota: 50 });
  await meter(id, "a", dayOf(now()));
  const shown = {
    id,
    orgname: "old",
    name: "Old",
    email: "old@example.com",
    daily_credits_quota: Number.MAX_SAFE_INTEGER,
    daily_credits_used: 12,
  };
  expect((await ada.get("/users/me")).body.data.orgs).toEqual([
    {
      ...shown,
      daily_compute_time_quota: Number.MAX_SAFE_INTEGER,
      daily_compute_time_used: 1000,
      daily_invocations_quota: 50,
      daily_invocations_used: 10,
    },
  ]);
  expect((await ada.get(`/workspaces/${id}`)).body.data).toEqual(shown);
});

test("runs count in the usage of their owner", async () => {
  const [ada, eve] = [await signUp("paid"), await signUp()];
  const workspace = await workspaceOf(ada, eve);
  const component_code = `export default { name: "N", version: "1", props: { http: "$.interface.http" }, run() {} }`;
  for (const [client, org_id, runs] of [
    [ada, undefined, 3],
    [eve, workspace, 2],
  ] as const) {
    const { body } = await client.post("/sources", { component_code, org_id });
    const { id, configured_props } = body.data;
    for (let n = 0; n < runs; n += 1) await send(configured_props.http.endpoint_url);
    await runsCommitted(id);
    await runDurableObjectAlarm(env.SOURCES.getByName(id));
  }
  expect((await ada.get("/users/me")).body.data).toMatchObject({ billing_period_credits: 3 });
  expect((await eve.get("/users/me")).body.data).toMatchObject({
    daily_invocations_used: 0,
    orgs: [{ id: workspace, daily_credits_used: 2 }],
  });
});

test("a paid user sees the billing period and its credits", async () => {
  const ada = await signUp("paid");
  await meter(ada.user.id, "a", dayOf(now()));
  await meter(ada.user.id, "a", "2000-01-01");

  const { data } = (await ada.get("/users/me")).body;
  expect(data).toEqual({
    id: ada.user.id,
    username: "ada",
    email: ada.user.email,
    billing_period_start_ts: expect.any(Number),
    billing_period_end_ts: expect.any(Number),
    billing_period_credits: 12,
  });
  expect(data.billing_period_start_ts).toBeLessThanOrEqual(now());
  expect(data.billing_period_end_ts).toBeGreaterThan(now());
});

test("a workspace is visible to its members alone, also as an organization", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const id = await workspaceOf(ada);

  const { status, body } = await ada.get(`/workspaces/${id}`);
  expect([status, body.data]).toEqual([
    200,
    {
      id,
      orgname: "engines",
      name: "Engines",
      email: "engines@example.com",
      daily_credits_quota: Number.MAX_SAFE_INTEGER,
      daily_credits_used: 0,
    },
  ]);
  expect((await ada.get(`/orgs/${id}`)).body).toEqual(body);
  expect(await eve.get(`/workspaces/${id}`)).toMatchObject({
    status: 404,
    body: { code: "not_found" },
  });
});
