// @suites release

import { env } from "cloudflare:workers";
import { expect, onTestFinished, test, vi } from "vitest";

import { recordAlerts } from "#db/alerts.ts";
import { connect } from "#db/client.ts";
import { hideUser } from "#db/user-departures.ts";
import type { Id } from "#domain/ids.ts";
import { endRemovals } from "#services/maintenance/removals.ts";
import { sweepImports } from "#services/registry-imports/run.ts";
import { endUserDepartures } from "#services/user-departures.ts";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { newStore } from "../support/data-store.ts";
import { KEPT, sweepAway, tracesOf } from "../support/departures.ts";
import { platformIn } from "../support/sweeping.ts";

const SOURCE = `export default { key: "left-source", name: "N", version: "1.0.0", type: "source", run() {} }`;
const STEPS = [{ name: "one", component_code: "export default () => 1" }];

const leftOf = async (text: string) =>
  Object.keys(await tracesOf(text)).filter((name) => !KEPT.has(name));

test("deletes a deleted user's components and imports", async () => {
  const ada = await signUp();
  const own = `export default { key: "left-behind", name: "N", version: "1.0.0", type: "action", run() {} }`;
  expect(await ada.post("/registry", { component_code: own })).toMatchObject({ status: 200 });
  const { body } = await ada.post("/registry/imports", {});
  const { id } = body.data;
  expect(await operator.delete(`/users/${ada.user.id}?force=true`)).toMatchObject({ status: 202 });
  const ctx = platformIn(700);
  await endUserDepartures(ctx);
  const state = () => env.DB.prepare("SELECT state FROM registry_imports WHERE id = ?").bind(id);
  expect(await state().first("state")).toBe("failed");
  await sweepImports(ctx);
  await sweepAway(ada.user.id);
  const left = Object.keys(await tracesOf(ada.user.id)).filter((name) => !KEPT.has(name));
  expect(left).toEqual([]);
  expect(await tracesOf(id)).toEqual({});
});

test("deletes more resources of one kind than one sweep does", async () => {
  const ada = await signUp();
  const id = ada.user.id as Id<"user">;
  const made = await Promise.all(
    Array.from({ length: 51 }, async (_, n) => [
      await ada.post("/webhooks", { url: `http://127.0.0.1:9/${n}` }),
      await newStore(ada),
    ]),
  );
  expect(made).toHaveLength(51);
  await hideUser(connect(env.DB), id, Math.floor(Date.now() / 1000));
  await endUserDepartures(platformIn(700));
  expect(await tracesOf(id)).toMatchObject({ users: 1, webhooks: 1, data_stores: 1 });
  await sweepAway(id);
  const left = Object.keys(await tracesOf(id)).filter((name) => !KEPT.has(name));
  expect(left).toEqual([]);
});

test("deletes components, imports and alerts of a workspace without other members", async () => {
  const ada = await signUp();
  const org_id = await workspaceOf(ada);
  expect(await ada.post("/registry", { component_code: SOURCE, org_id })).toMatchObject({
    status: 200,
  });
  const { id } = (await ada.post("/registry/imports", { org_id })).body.data;
  const { body: flow } = await ada.post("/workflows", {
    org_id,
    name: "Flow",
    trigger: { type: "http" },
    steps: STEPS,
  });
  const subject = flow.data.id;
  const kind = "failing" as const;
  const alert = { kind, about: "", sinceMs: 1, message: "m", error: null, count: 10 };
  const report = { subjectId: subject, version: 1, open: [alert] };
  await recordAlerts(connect(env.DB), report, Date.now());
  const { body: hook } = await ada.post("/webhooks", { url: "http://127.0.0.1:9/", org_id });
  const link = { emitter_id: subject, listener_id: hook.data.id, filter: "event.a == 1" };
  expect(await ada.post("/subscriptions", link)).toMatchObject({ status: 200 });
  expect(Object.keys(await tracesOf(org_id))).toEqual(
    expect.arrayContaining(["alerts", "registry_versions", "registry_imports", "workflows"]),
  );

  await operator.delete(`/users/${ada.user.id}?force=true`);
  const ctx = platformIn(700);
  await endUserDepartures(ctx);
  await sweepImports(ctx);
  await sweepAway(ada.user.id);
  await endRemovals(ctx);
  for (const gone of [org_id, id, subject, hook.data.id]) expect(await leftOf(gone)).toEqual([]);
});

test("deletes more sources, workflows and imports than one sweep does", async () => {
  const ada = await signUp();
  const user = ada.user.id as Id<"user">;
  const { body } = await ada.post("/components", { component_code: SOURCE });
  const component_id = body.data.id;
  for (let n = 0; n < 51; n += 1) {
    const made = await Promise.all([
      ada.post("/sources", { component_id, name: `source ${n}` }),
      ada.post("/workflows", { name: `Flow ${n}`, trigger: { type: "http" }, steps: STEPS }),
    ]);
    expect(made.map(({ status }) => status)).toEqual([200, 200]);
  }
  const { id } = (await ada.post("/registry/imports", {})).body.data;
  const copies = Array.from({ length: 50 }, (_, n) => `ri_${id.slice(3)}${n}`);
  await env.DB.batch(
    copies.map((copy) =>
      env.DB.prepare(
        `INSERT INTO registry_imports (id, owner_id, user_id, state, starts, created_at, updated_at)
          SELECT ?, owner_id, user_id, state, starts, created_at, updated_at FROM registry_imports WHERE id = ?`,
      ).bind(copy, id),
    ),
  );
  await hideUser(connect(env.DB), user, Math.floor(Date.now() / 1000));
  const ctx = platformIn(700);
  await endUserDepartures(ctx);
  expect(await tracesOf(user)).toMatchObject({ users: 1, sources: 1, workflows: 1 });
  for (let swept = 0; swept < 4; swept += 1) {
    await endUserDepartures(ctx);
    await sweepImports(ctx);
  }
  await sweepAway(user);
  expect(await leftOf(user)).toEqual([]);
});

test("waits for a source with a running change, which is not a failure", async () => {
  const ada = await signUp();
  const user = ada.user.id as Id<"user">;
  const { id } = (await ada.post("/sources", { component_code: SOURCE })).body.data;
  await hideUser(connect(env.DB), user, Math.floor(Date.now() / 1000));
  const change = "UPDATE sources SET state = ?, updating_since = ? WHERE id = ?";
  const become = (state: string, since: number | null) =>
    env.DB.prepare(change).bind(state, since, id).run();
  await become("deleting", Math.floor(Date.now() / 1000));
  const logged = vi.spyOn(console, "error");
  onTestFinished(() => logged.mockRestore());
  await endUserDepartures(platformIn(0));
  expect(JSON.stringify(logged.mock.calls)).not.toContain(id);
  expect(await tracesOf(user)).toMatchObject({ users: 1, sources: 1 });
  await become("live", null);
  await sweepAway(user);
  expect(await leftOf(user)).toEqual([]);
});
