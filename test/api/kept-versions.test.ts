// @suites loader

import { env } from "cloudflare:workers";
import { and, desc, eq, gt } from "drizzle-orm";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { workflows } from "#db/schema/tables.ts";
import {
  workflowPlans,
  workflowVersionCode,
  workflowVersions,
} from "#db/schema/workflow-versions.ts";
import { newId } from "#domain/ids.ts";
import { KEPT_PLAN_CHARACTERS, KEPT_VERSIONS } from "#domain/workflows.ts";
import { updateWorkflow } from "#services/workflows/deploy.ts";
import { restoreVersion } from "#services/workflows/versions.ts";
import { openContext } from "#worker/bindings.ts";

import { deployVersioned, stepOf } from "../support/versioned.ts";

const db = () => connect(env.DB);

test("keeps the newest 100 versions, and deletes all with the workflow", async () => {
  const { ada, id, path, numbers } = await deployVersioned();
  const [plan] = await db().select().from(workflowPlans).where(eq(workflowPlans.workflowId, id));
  const [first] = await db()
    .select()
    .from(workflowVersions)
    .where(eq(workflowVersions.workflowId, id));
  if (!plan || !first) throw new Error("The first version was not recorded");
  // As if it had been changed a hundred times.
  const older = Array.from({ length: KEPT_VERSIONS - 1 }, (_, index) => index + 2);
  for (const version of older) {
    await db().batch([
      db()
        .insert(workflowVersions)
        .values({ ...first, version }),
      db()
        .insert(workflowPlans)
        .values({ ...plan, version }),
      db()
        .insert(workflowVersionCode)
        .values({ workflowId: id, version, hash: `hash-${version}` }),
    ]);
  }
  await db().update(workflows).set({ version: KEPT_VERSIONS }).where(eq(workflows.id, id));
  expect(await numbers()).toHaveLength(KEPT_VERSIONS);
  for (const name of ["B", "C"]) await ada.put(path, { name });
  const left = await numbers();
  expect([left.length, left[0], left.at(-1)]).toEqual([KEPT_VERSIONS, KEPT_VERSIONS + 2, 3]);
  expect((await ada.get(`${path}/versions/2`)).status).toBe(404);
  expect((await ada.post(`${path}/versions/2/restore`)).status).toBe(404);
  const rows = async () =>
    Promise.all(
      [workflowVersions, workflowPlans, workflowVersionCode].map(
        async (table) =>
          new Set(
            (
              await db()
                .select({ version: table.version })
                .from(table)
                .where(eq(table.workflowId, id))
            ).map(({ version }) => version),
          ).size,
      ),
    );
  expect(await rows()).toEqual([KEPT_VERSIONS, KEPT_VERSIONS, KEPT_VERSIONS]);
  await ada.delete(path);
  expect(await rows()).toEqual([0, 0, 0]);
});

test("keeps the newest versions if all plans together are too large", async () => {
  const { ada, path, id, numbers } = await deployVersioned();
  const [first] = await db()
    .select()
    .from(workflowVersions)
    .where(eq(workflowVersions.workflowId, id));
  const [plan] = await db().select().from(workflowPlans).where(eq(workflowPlans.workflowId, id));
  if (!plan || !first) throw new Error("The first version was not recorded");
  const steps = plan.steps.padEnd(KEPT_PLAN_CHARACTERS / 20, " ");
  const large = Array.from({ length: 29 }, (_, index) => index + 2);
  for (const version of large)
    await db().batch([
      db()
        .insert(workflowVersions)
        .values({ ...first, version }),
      db()
        .insert(workflowPlans)
        .values({ ...plan, version, steps }),
    ]);
  await db().update(workflows).set({ version: 30 }).where(eq(workflows.id, id));
  await ada.put(path, { name: "B" });
  const kept = [31, ...large.toReversed().slice(0, 19)];
  expect(await numbers()).toEqual(kept);
  const plans = await db()
    .select({ version: workflowPlans.version })
    .from(workflowPlans)
    .where(eq(workflowPlans.workflowId, id))
    .orderBy(desc(workflowPlans.version));
  expect(plans.map(({ version }) => version)).toEqual(kept);
});

test("concurrent deployments create one version each, and the object runs the last", async () => {
  const { ada, id, path, numbers, returned } = await deployVersioned();
  const names = ["a", "b", "c", "d", "e"];
  const answers = await Promise.all(
    names.map((name) => ada.put(path, { name, steps: [stepOf(name)] })),
  );
  const made = answers.map(({ status, body }) => [status, body.data?.version]);
  expect(made.map(([status]) => status)).toEqual(names.map(() => 200));
  expect(made.map(([, version]) => version).toSorted((one, other) => one - other)).toEqual([
    2, 3, 4, 5, 6,
  ]);
  expect(await numbers()).toEqual([6, 5, 4, 3, 2, 1]);
  for (const { body } of answers)
    expect((await ada.get(`${path}/versions/${body.data.version}`)).body.data.name).toBe(
      body.data.name,
    );
  const last = (await ada.get(path)).body.data;
  expect(await returned()).toBe(last.name);
  const object = await env.WORKFLOWS.getByName(id).current();
  expect(JSON.parse(object ?? "{}")).toMatchObject({ id: last.deployment_id, version: 6 });
});

test("concurrent restores of versions lose none of them", async () => {
  const { ada, id, path, numbers } = await deployVersioned();
  await ada.put(path, { name: "Second" });
  const subject = { id, user: ada.user.id };
  const restores = [1, 2, 1].map((number) => restoreVersion(openContext(env), subject, number));
  const made = await Promise.all([...restores, ada.put(path, { name: "Third" })]);
  expect(made).toHaveLength(4);
  expect(await numbers()).toEqual([6, 5, 4, 3, 2, 1]);
});

test("a workflow of an older release has its definition as version 1, which can be restored", async () => {
  const { ada, id, path, returned } = await deployVersioned();
  // As after the migration: only the object has the plan, in a deployment without a version.
  await db().delete(workflowPlans).where(eq(workflowPlans.workflowId, id));
  await db().delete(workflowVersionCode).where(eq(workflowVersionCode.workflowId, id));
  expect((await ada.put(path, { name: "Flow" })).body.data.version).toBe(1);
  expect((await ada.put(path, { steps: [stepOf("second")] })).body.data.version).toBe(2);
  expect(await returned()).toBe("second");
  expect((await ada.post(`${path}/versions/1/restore`)).body.data.version).toBe(3);
  expect(await returned()).toBe("first");
  const codes = await db()
    .select()
    .from(workflowVersionCode)
    .where(and(eq(workflowVersionCode.workflowId, id), eq(workflowVersionCode.version, 1)));
  expect(codes).toHaveLength(2);
});

test("code that a release without versions deploys becomes a version, too", async () => {
  const { ada, id, path, numbers, returned, created } = await deployVersioned();
  const [row] = await db().select().from(workflows).where(eq(workflows.id, id));
  if (!row) throw new Error("The workflow was not written");
  const { seq: _, version: __, deployedMs: ___, ...known } = row;
  const other = { ...known, id: newId("workflow"), deploymentId: newId("deployment") };
  await db().insert(workflows).values(other);
  const { body } = await ada.get(`/workflows/${other.id}/versions/1`);
  expect(body.data).toMatchObject({ version: 1, user_id: null, steps: created.steps });
  await db().delete(workflows).where(eq(workflows.id, other.id));

  // It deploys a plan of this release from another workflow, without a version or a time.
  const donor = await deployVersioned({ steps: [stepOf("older")] });
  const stub = env.WORKFLOWS.getByName(id);
  const planned = JSON.parse((await env.WORKFLOWS.getByName(donor.id).current()) ?? "{}");
  const current = JSON.parse((await stub.current()) ?? "{}");
  const deploymentId = newId("deployment");
  await stub.deploy({ ...current, id: deploymentId, name: "Older", steps: planned.steps }, true);
  const [shown] = await db().select().from(workflows).where(eq(workflows.id, donor.id));
  await db()
    .update(workflows)
    .set({ deploymentId, name: "Older", steps: shown?.steps ?? [] })
    .where(eq(workflows.id, id));
  expect(await numbers()).toEqual([2, 1]);
  expect((await ada.get(`${path}/versions/2`)).body.data).toMatchObject({
    name: "Older",
    steps: [stepOf("older")],
  });
  expect((await ada.put(path, { name: "Newer" })).body.data.version).toBe(3);
  expect(await returned()).toBe("older");
  await ada.post(`${path}/versions/1/restore`);
  expect(await returned()).toBe("first");
  await ada.post(`${path}/versions/2/restore`);
  expect(await returned()).toBe("older");
});

test("a deployment takes effect even after the database was restored to an earlier state", async () => {
  const { ada, id, path, returned } = await deployVersioned();
  const [row] = await db().select().from(workflows).where(eq(workflows.id, id));
  for (const value of ["second", "third"]) await ada.put(path, { steps: [stepOf(value)] });
  const { seq: _, ...earlier } = row ?? { seq: 0 };
  for (const table of [workflowVersions, workflowPlans, workflowVersionCode])
    await db()
      .delete(table)
      .where(and(eq(table.workflowId, id), gt(table.version, 1)));
  await db().update(workflows).set(earlier).where(eq(workflows.id, id));
  const ctx = openContext(env);
  const later = { ...ctx, now: () => ctx.now() + 60 };
  await updateWorkflow(later, { id, by: null, name: "Fourth" });
  expect(await returned()).toBe("first");
  expect((await ada.get(path)).body.data).toMatchObject({ version: 2, name: "Fourth" });
});
