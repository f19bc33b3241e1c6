// @suites loader

import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { hashesInUse, scriptsInUse } from "#db/code-uses.ts";
import { workflowCode } from "#db/schema/derived.ts";
import { components, sources, workflows } from "#db/schema/tables.ts";
import { listCode } from "#db/workflow-code.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Id, newId, newToken, type OwnerId } from "#domain/ids.ts";
import { settleWorkflowCode } from "#services/workflows/code.ts";
import { openContext } from "#worker/bindings.ts";

import { operator, signUp } from "../support/client.ts";
import { send } from "../support/deploy.ts";
import { settleAllWorkflows } from "../support/sweeping.ts";
import { code, deployWorkflow, ended, runsOf, triggerHttp } from "../support/workflow.ts";

const db = () => connect(env.DB);

/** Code of a component that no other test has. */
const unique = (type: "source" | "action", key = "k") =>
  `export default { key: "${key}", name: "N", version: "1.0.0", type: "${type}", run() { return "${newToken()}"; } };`;

async function componentOf(id: Id<"component">) {
  const [component] = await db().select().from(components).where(eq(components.id, id));
  if (!component) throw new Error(`${id} was not saved`);
  return component;
}

/** Whether the code of a bundle is in use for an owner, and whether anything refers to it. */
async function usesOf(bundleHash: string, owner: OwnerId) {
  const asScript = await scriptsInUse(db(), [{ name: "asked", owner, bundleHash }]);
  const asCode = await hashesInUse(db(), [bundleHash]);
  return { isRun: asScript.has("asked"), isKept: asCode.has(bundleHash) };
}

const [RUN, KEPT, UNUSED] = [
  { isRun: true, isKept: true },
  { isRun: false, isKept: true },
  { isRun: false, isKept: false },
];

type Flow = Awaited<ReturnType<typeof deployWorkflow>>;

/** The bundles of the version that new runs use. */
async function bundlesOf({ stub }: Flow) {
  return (await stub.code())[0]?.bundleHashes ?? [];
}

async function rowOf({ id }: Flow) {
  const [row] = await db().select().from(workflows).where(eq(workflows.id, id));
  return row;
}

function listedOf({ id }: Flow) {
  return db()
    .select({ hash: workflowCode.hash, deploymentId: workflowCode.deploymentId })
    .from(workflowCode)
    .where(eq(workflowCode.workflowId, id))
    .orderBy(workflowCode.hash);
}

/** Make the listed code of a workflow older than the longest change. */
async function age({ id }: Flow) {
  await db().update(workflowCode).set({ createdAt: 1 }).where(eq(workflowCode.workflowId, id));
}

test("a source's code is in use for its owner; a saved component only keeps its code", async () => {
  const ada = await signUp();
  const { data } = (await ada.post("/sources", { component_code: unique("source") })).body;
  const { bundleHash, codeHash } = await componentOf(data.component_id);
  expect(await usesOf(bundleHash, ada.user.id)).toEqual(RUN);
  expect(await usesOf(bundleHash, newId("user"))).toEqual(KEPT);
  expect(await hashesInUse(db(), [codeHash, "none"])).toEqual(new Set([codeHash]));

  await ada.delete(`/sources/${data.id}`);
  expect(await usesOf(bundleHash, ada.user.id)).toEqual(KEPT);
});

test("code of a pending change is in use", async () => {
  const ada = await signUp();
  const { data } = (await ada.post("/sources", { component_code: unique("source") })).body;
  const component = await componentOf(data.component_id);
  const [bundleHash, codeHash] = [await sha256Hex(newToken()), await sha256Hex(newToken())];
  const { seq: _, ...saved } = component;
  const pending = {
    bundleHash,
    component: { ...saved, bundleHash, codeHash },
    componentId: component.id,
    name: "N",
  };
  const set = (row: Partial<typeof sources.$inferInsert>) =>
    db().update(sources).set(row).where(eq(sources.id, data.id));
  await set({ updatingSince: 1, pending });
  expect(await usesOf(bundleHash, ada.user.id)).toEqual(RUN);
  expect(await hashesInUse(db(), [codeHash])).toEqual(new Set([codeHash]));
  await set({ updatingSince: null, pending: null });
  expect(await usesOf(bundleHash, ada.user.id)).toEqual(UNUSED);
  expect(await hashesInUse(db(), [codeHash])).toEqual(new Set());
});

test("the code of a step is in use: inline, of a saved component, and of one in the registry", async () => {
  const ada = await signUp();
  const key = `uses-${newToken().toLowerCase()}`;
  const inline = code(`return "${newToken()}"`);
  const saved = (await ada.post("/components", { component_code: unique("action") })).body.data;
  await operator.post("/registry", { component_code: unique("action", key) });
  const flow = await deployWorkflow({
    owner: ada,
    steps: [
      { name: "inline", component_code: inline },
      { name: "saved", component_id: saved.id },
      { name: "published", key },
    ],
  });
  const bundles = await bundlesOf(flow);
  expect(new Set(bundles).size).toBe(3);
  for (const bundle of bundles) expect(await usesOf(bundle, ada.user.id)).toEqual(RUN);
  // For another owner, saved code is only kept.
  const other = newId("user");
  const ofOther = await Promise.all(bundles.map((bundle) => usesOf(bundle, other)));
  expect(ofOther).toEqual([KEPT, KEPT, KEPT]);
  const codeHash = await sha256Hex(inline);
  expect(await hashesInUse(db(), [codeHash])).toEqual(new Set([codeHash]));

  await operator.delete(`/workflows/${flow.id}`);
  const gone = await Promise.all(bundles.map((bundle) => usesOf(bundle, ada.user.id)));
  expect(gone).toEqual([UNUSED, KEPT, KEPT]);
  expect(await hashesInUse(db(), [codeHash])).toEqual(new Set());
  expect(await listedOf(flow)).toEqual([]);
});

const WAITING = () => code(`return { ...$.flow.suspend(60000), mark: "${newToken()}" }`);

/** A workflow with a waiting run, and another version that replaced the run's. */
async function replacedWhileWaiting() {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: WAITING() }] });
  const [old = ""] = await bundlesOf(flow);
  await triggerHttp(flow.url);
  await expect.poll(() => runsOf(flow)).toMatchObject([{ state: "waiting" }]);
  await operator.put(`/workflows/${flow.id}`, {
    steps: [{ name: "one", component_code: WAITING() }],
  });
  const [current = ""] = await bundlesOf(flow);
  return { flow, old, current, owner: flow.user.user.id };
}

test("an older version's code is in use while a run uses it, and is kept as long as the version", async () => {
  const { flow, old, current, owner } = await replacedWhileWaiting();
  await age(flow);
  await settleAllWorkflows();
  await settleAllWorkflows();
  expect(await usesOf(old, owner)).toEqual(RUN);
  expect(await usesOf(current, owner)).toEqual(RUN);

  const [{ id }] = await runsOf(flow);
  const { steps } = (await flow.user.get(`/workflows/${flow.id}/runs/${id}`)).body.data;
  await send(steps[0].exports.$return_value.resume_url);
  await expect.poll(ended(flow)).toBeDefined();
  await settleAllWorkflows();
  expect(await usesOf(old, owner)).toEqual(KEPT);
  expect(await usesOf(current, owner)).toEqual(RUN);
  expect(await rowOf(flow)).toMatchObject({ codeCheckedAt: null });
});

test("a version that is about to be deployed keeps its code until its deployment has failed", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: WAITING() }] });
  const owner = flow.user.user.id;
  const [current = ""] = await bundlesOf(flow);
  const hash = await sha256Hex(newToken());
  const next = { id: newId("deployment"), hashes: [hash] };
  const now = Math.floor(Date.now() / 1000);
  await listCode(db(), { id: flow.id, ownerId: owner }, [next], now);
  await db().update(workflows).set({ codeCheckedAt: now }).where(eq(workflows.id, flow.id));
  await settleAllWorkflows();
  expect(await usesOf(hash, owner)).toEqual(RUN);
  await age(flow);
  await settleAllWorkflows();
  expect(await usesOf(hash, owner)).toEqual(UNUSED);
  expect(await usesOf(current, owner)).toEqual(RUN);
});

test("all code of an owner is in use while the code of a workflow is unknown", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: WAITING() }] });
  const owner = flow.user.user.id;
  const listed = await listedOf(flow);
  expect(listed).toHaveLength(2);
  // As after a release without such a list.
  await db().delete(workflowCode).where(eq(workflowCode.workflowId, flow.id));
  await db().update(workflows).set({ codeCheckedAt: 0 }).where(eq(workflows.id, flow.id));
  expect(await usesOf("anything", owner)).toEqual(RUN);
  expect(await usesOf("anything", newId("user"))).toEqual(KEPT);
  await settleAllWorkflows();
  expect(await usesOf("anything", owner)).toEqual(UNUSED);
  expect(await listedOf(flow)).toEqual(listed);
  expect(await rowOf(flow)).toMatchObject({ codeCheckedAt: null });
});

test("a release without such a list may deploy a workflow beside this one", async () => {
  const { flow, old, current, owner } = await replacedWhileWaiting();
  const row = await rowOf(flow);
  await db().delete(workflowCode).where(eq(workflowCode.workflowId, flow.id));
  await db().update(workflows).set({ codeCheckedAt: null }).where(eq(workflows.id, flow.id));
  const set = (deploymentId: Id<"deployment">) =>
    db().update(workflows).set({ deploymentId }).where(eq(workflows.id, flow.id));
  await set(newId("deployment"));
  await set(row?.deploymentId ?? newId("deployment"));
  expect(await rowOf(flow)).toMatchObject({ codeCheckedAt: 0 });
  await settleAllWorkflows();
  expect(await usesOf(old, owner)).toEqual(RUN);
  expect(await usesOf(current, owner)).toEqual(RUN);
});

test("a workflow that is deleted during the query is not listed", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: WAITING() }] });
  const row = await rowOf(flow);
  await db().update(workflows).set({ codeCheckedAt: 0 }).where(eq(workflows.id, flow.id));
  const platform = openContext(env);
  await settleWorkflowCode({
    ...platform,
    workflows: (id) => ({
      ...platform.workflows(id),
      async code() {
        if (id === flow.id) await operator.delete(`/workflows/${flow.id}`);
        const uses = { deploymentId: row?.deploymentId ?? newId("deployment") };
        return id === flow.id ? [{ ...uses, bundleHashes: ["left"] }] : [];
      },
    }),
  });
  expect(await listedOf(flow)).toEqual([]);
  expect(await hashesInUse(db(), ["left"])).toEqual(new Set());
});
