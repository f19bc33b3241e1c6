// @suites loader

import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { hashesInUse } from "#db/code-uses.ts";
import { workflowCode } from "#db/schema/derived.ts";
import { workflows } from "#db/schema/tables.ts";
import { workflowPlans, workflowVersions } from "#db/schema/workflow-versions.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Id, newToken } from "#domain/ids.ts";
import { KEPT_VERSIONS } from "#domain/workflows.ts";
import { rewrapSecrets } from "#services/key-rotation.ts";
import { createWorkflow, updateWorkflow } from "#services/workflows/deploy.ts";
import { placeOfStep } from "#vault/secret-props.ts";
import { openVault } from "#vault/vault.ts";
import { openContext } from "#worker/bindings.ts";

import { signUp } from "../support/client.ts";
import { settleAllWorkflows } from "../support/sweeping.ts";
import { forgetVersion } from "../support/workflow-tables.ts";
import { code, deployWorkflow, runOnce } from "../support/workflow.ts";

const db = () => connect(env.DB);

const stepOf = (value: string) => ({ name: "one", code: code(`return "${value}"`), props: {} });

/** A platform that crashes before a workflow's object gets the deployment: the call never ends. `dead`: it began. */
function dyingPlatform() {
  const platform = openContext(env);
  const { promise: dead, resolve } = Promise.withResolvers<void>();
  const ctx = {
    ...platform,
    workflows: (id: Id<"workflow">) => {
      const stub = platform.workflows(id);
      return {
        ...stub,
        current: () => stub.current(),
        deploy: () => {
          resolve();
          return new Promise<void>(() => {});
        },
      };
    },
  };
  return { ctx, dead };
}

async function rowOf(id: Id<"workflow">) {
  const [row] = await db().select().from(workflows).where(eq(workflows.id, id));
  return row;
}

function versionsOf(id: Id<"workflow">) {
  return db().select().from(workflowVersions).where(eq(workflowVersions.workflowId, id));
}

/** Make a deployment so old that it must have been interrupted, and sweep. */
async function sweepLater(id: Id<"workflow">) {
  await db().update(workflows).set({ updatedAt: 1 }).where(eq(workflows.id, id));
  await settleAllWorkflows();
}

test("a sweep completes a deployment that a crash kept from the workflow's object", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: code("return 1") }] });
  const { ctx, dead } = dyingPlatform();
  void updateWorkflow(ctx, { id: flow.id, by: null, steps: [stepOf("second")] });
  await dead;
  const row = await rowOf(flow.id);
  expect([row?.version, (await versionsOf(flow.id)).length]).toEqual([2, 2]);
  expect(await runOnce(flow)).toMatchObject({ version: 1 });

  // Its process may still complete it.
  await settleAllWorkflows();
  expect(await runOnce(flow)).toMatchObject({ version: 1 });
  await sweepLater(flow.id);
  expect(await runOnce(flow)).toMatchObject({
    version: 2,
    deployment_id: row?.deploymentId,
    steps: [{ exports: { $return_value: "second" } }],
  });
  await settleAllWorkflows();
  await db().update(workflowCode).set({ createdAt: 1 }).where(eq(workflowCode.workflowId, flow.id));
  await settleAllWorkflows();
  expect(await rowOf(flow.id)).toMatchObject({ codeCheckedAt: null, version: 2 });
});

test("a sweep deploys a new workflow that a crash kept from its object", async () => {
  const ada = await signUp();
  const { ctx, dead } = dyingPlatform();
  const fields = { name: "Flow", active: true, trigger: { type: "http" as const, schedule: {} } };
  const owner = { ownerId: ada.user.id, by: ada.user.id };
  void createWorkflow(ctx, { ...owner, ...fields, steps: [stepOf("first")] });
  await dead;
  const [flow] = (await ada.get("/workflows")).body.data;
  expect(flow.version).toBe(1);
  await sweepLater(flow.id);
  const url = flow.trigger.endpoint_url;
  expect(await runOnce({ user: ada, id: flow.id, url })).toMatchObject({
    version: 1,
    steps: [{ exports: { $return_value: "first" } }],
  });
  expect(await versionsOf(flow.id)).toMatchObject([{ version: 1, userId: ada.user.id }]);
});

test("a version that cannot be recorded leaves the workflow unchanged", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: code("return 1") }] });
  const before = await rowOf(flow.id);
  await env.DB.exec(
    `CREATE TRIGGER refuse_plan BEFORE INSERT ON workflow_plans WHEN NEW.workflow_id = '${flow.id}' BEGIN SELECT RAISE(ABORT, 'refused'); END`,
  );
  const change = { id: flow.id, by: null, name: "Renamed", steps: [stepOf("second")] };
  await expect(updateWorkflow(openContext(env), change)).rejects.toMatchObject({
    cause: { message: expect.stringContaining("refused") },
  });
  await env.DB.exec("DROP TRIGGER refuse_plan");
  expect(await rowOf(flow.id)).toEqual(before);
  expect(await versionsOf(flow.id)).toHaveLength(1);
  expect(await runOnce(flow)).toMatchObject({ version: 1 });
  expect(await updateWorkflow(openContext(env), change)).toMatchObject({ version: 2 });
});

test("an object keeps the later of two deployments, in any order of arrival", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: code("return 1") }] });
  const first = JSON.parse((await flow.stub.current()) ?? "{}");
  await updateWorkflow(openContext(env), { id: flow.id, by: null, steps: [stepOf("second")] });
  const second = await flow.stub.current();
  expect(JSON.parse(second ?? "{}")).toMatchObject({ version: 2 });
  await flow.stub.deploy(first, false);
  expect(await flow.stub.current()).toBe(second);
  expect(await runOnce(flow)).toMatchObject({ version: 2 });
});

test("code is kept as long as a version needs it, and deleted with the version", async () => {
  const sent = code(`return "${newToken()}"`);
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: sent }] });
  const [inUse] = await flow.stub.code();
  const hashes = [...(inUse?.bundleHashes ?? []), await sha256Hex(sent)];
  expect(hashes).toHaveLength(2);
  const isKept = async () => (await hashesInUse(db(), hashes)).size;
  const settle = async () => {
    await db()
      .update(workflowCode)
      .set({ createdAt: 1 })
      .where(eq(workflowCode.workflowId, flow.id));
    await settleAllWorkflows();
  };
  const ctx = openContext(env);
  await updateWorkflow(ctx, { id: flow.id, by: null, steps: [stepOf("second")] });
  await settle();
  expect(await isKept()).toBe(2);
  // The next version exceeds the maximum number of versions.
  await db().update(workflows).set({ version: KEPT_VERSIONS }).where(eq(workflows.id, flow.id));
  await updateWorkflow(ctx, { id: flow.id, by: null, name: "Renamed" });
  await settle();
  expect(await isKept()).toBe(0);
});

test("re-encrypts secrets of all versions with a new master key", async () => {
  const older = openVault({ MASTER_KEY: env.PREVIOUS_MASTER_KEYS ?? "" });
  const rotated = openVault({ MASTER_KEY: env.MASTER_KEY ?? "" });
  const ada = await signUp();
  const component_code = `export default { name: "A", version: "1.0.0", type: "action",
    props: { token: { type: "string", secret: true } }, run() { return this.token; } };`;
  const { id: component_id } = (await ada.post("/components", { component_code })).body.data;
  const steps = [{ name: "one", component_id, props: { token: "kept" } }];
  const flow = await deployWorkflow({ owner: ada, steps });
  await ada.put(`/workflows/${flow.id}`, { steps: [{ ...steps[0], props: { token: "other" } }] });
  const place = [...placeOfStep(ada.user.id, "one"), "token"];
  // Encrypted with the previous master key.
  const sealed = JSON.stringify({ one: { token: await older.seal('"kept"', place) } });
  const own = eq(workflowPlans.workflowId, flow.id);
  await db().update(workflowPlans).set({ sealed }).where(own);
  for (let after: number | null = 0; after !== null;) {
    const stretch: Awaited<ReturnType<typeof rewrapSecrets>> = await rewrapSecrets(
      openContext(env),
      after,
    );
    expect(stretch.left).not.toContain(flow.id);
    after = stretch.next;
  }
  const plans = await db().select().from(workflowPlans).where(own);
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    const { one } = JSON.parse(plan.sealed ?? "{}");
    expect(await rotated.open(one.token, place)).toBe('"kept"');
  }
  const { status } = await ada.post(`/workflows/${flow.id}/versions/1/restore`);
  expect(status).toBe(200);
  const run = await runOnce(flow);
  expect(run.steps).toMatchObject([{ exports: { $return_value: "kept" } }]);
});

test("runs from before versions existed have no version", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: code("return 1") }] });
  const { id } = await runOnce(flow);
  await forgetVersion(flow.stub, id);
  const { data } = (await flow.user.get(`/workflows/${flow.id}/runs/${id}`)).body;
  expect(data.version).toBeNull();
});
