// @suites release

import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { componentById } from "#db/components.ts";
import { workflowCode } from "#db/schema/derived.ts";
import { type Id, newToken } from "#domain/ids.ts";
import type { CheckedScript } from "#durable-objects/dispatch-namespace/contract.ts";
import { GRACE_MS } from "#durable-objects/dispatch-namespace/script-registry.ts";
import { scriptName } from "#sandbox/script.ts";
import { sweep } from "#services/maintenance/sweep.ts";
import { createSource } from "#services/sources/create.ts";
import { deleteSource } from "#services/sources/delete.ts";
import { updateSource } from "#services/sources/update.ts";
import { createWorkflow, updateWorkflow } from "#services/workflows/deploy.ts";
import { openContext } from "#worker/bindings.ts";

import { operator, signUp } from "../support/client.ts";
import { plan, uploaded } from "../support/cloudflare/client.ts";
import { send } from "../support/deploy.ts";
import { HOOKED_SOURCE } from "../support/source-code.ts";
import { passTimeOfScripts } from "../support/stored-scripts.ts";
import { code, runOf, runsOf, triggerHttp } from "../support/workflow.ts";

const platform = () => openContext({ ...env, USER_CODE: "dispatch" });

/** A user of a platform that runs components as scripts, with a saved component. */
async function newUser() {
  const ada = await signUp();
  const ctx = { ...platform(), actor: ada.user, keyHash: "" };
  const save = async (version: string) => {
    const component_code = HOOKED_SOURCE.replace("0.0.1", version);
    const { id } = (await ada.post("/components", { component_code })).body.data;
    const component = await componentById(connect(env.DB), ada.user.id, id as Id<"component">);
    if (!component) throw new Error(`${id} was not saved`);
    const name = await scriptName({ owner: ada.user.id, bundleHash: component.bundleHash });
    return { id: component.id, name };
  };
  return { ada, ctx, save };
}

const REFUSAL = {
  status: 400,
  text: `{"success":false,"errors":[{"code":10021,"message":"no"}],"messages":[],"result":null}`,
};

test("creates a source with its script and the script's tags", async () => {
  const { ctx, save } = await newUser();
  const component = await save("0.0.1");
  await createSource(ctx, { componentId: component.id });
  expect(await uploaded(component.name)).toMatchObject({
    tags: [
      `owner.${ctx.actor.id}`,
      expect.stringMatching(/^bundle\.[0-9a-f]{64}$/),
      expect.stringMatching(/^component\./),
      "version.0.0.1",
    ],
  });
});

test("rejects a source without a script, with the reason", async () => {
  const { ada, ctx, save } = await newUser();
  const component = await save("0.0.1");
  await plan(component.name, { faults: [{ answer: REFUSAL }] });
  await expect(createSource(ctx, { componentId: component.id })).rejects.toMatchObject({
    code: "upstream_failed",
    message: expect.stringContaining("could not be deployed; try again in 60 s: Cloudflare's API"),
    details: { retry_after_seconds: 60 },
  });
  expect((await ada.get("/users/me/sources")).body.data).toEqual([]);
});

test("an update whose script is not uploaded changes nothing", async () => {
  const { ada, ctx, save } = await newUser();
  const [before, after] = [await save("0.0.1"), await save("0.0.2")];
  const { id } = await createSource(ctx, { componentId: before.id });
  await plan(after.name, { faults: [{ answer: REFUSAL }] });
  await expect(updateSource(ctx, id, { componentId: after.id })).rejects.toMatchObject({
    code: "upstream_failed",
  });
  expect((await ada.get(`/sources/${id}`)).body.data).toMatchObject({ component_id: before.id });
  expect(await updateSource(ctx, id, { componentId: after.id })).toMatchObject({
    componentId: after.id,
  });
});

test("the sweep deletes scripts of no source, and never a source's script", async () => {
  const { ctx, save } = await newUser();
  const [old, current] = [await save("0.0.1"), await save("0.0.2")];
  const { id } = await createSource(ctx, { componentId: old.id });
  await sweep(platform());
  await passTimeOfScripts(2 * GRACE_MS);
  await sweep(platform());
  expect(await uploaded(old.name)).not.toBeNull();

  await updateSource(ctx, id, { componentId: current.id });
  await passTimeOfScripts(2 * GRACE_MS);
  await sweep(platform());
  // Its last use has just ended.
  expect(await uploaded(old.name)).not.toBeNull();
  await passTimeOfScripts(2 * GRACE_MS);
  await sweep(platform());
  expect(await uploaded(old.name)).toBeNull();
  expect(await uploaded(current.name)).not.toBeNull();
});

test("a source that is deployed during a sweep keeps its script", async () => {
  const { ctx, save } = await newUser();
  const component = await save("0.0.1");
  const first = await createSource(ctx, { componentId: component.id });
  await deleteSource(ctx, first.id);
  await sweep(platform());
  await passTimeOfScripts(2 * GRACE_MS);
  const { scripts, ...rest } = platform();
  if (!scripts) throw new Error("The tests have a dispatch namespace");
  let found: CheckedScript | undefined;
  await sweep({
    ...rest,
    scripts: {
      provide: (request) => scripts.provide(request),
      leastChecked: (limit) => scripts.leastChecked(limit),
      async settle(checked) {
        found = checked.find(({ name }) => name === component.name);
        // The sweep's last lookup is outdated now.
        await createSource(ctx, { componentId: component.id });
        return scripts.settle(checked);
      },
    },
  });
  expect(found).toEqual({ name: component.name, isUsed: false });
  expect(await uploaded(component.name)).not.toBeNull();
  await passTimeOfScripts(2 * GRACE_MS);
  await sweep(platform());
  expect(await uploaded(component.name)).not.toBeNull();
});

/** A workflow with inline, saved and published steps; and the names of their scripts. */
async function newWorkflow() {
  const { ada, ctx } = await newUser();
  const mark = newToken();
  const action = (key: string) =>
    `export default { key: "${key}", name: "A", version: "1.0.0", type: "action", run() { return "${mark}" } };`;
  const key = `published-${mark.toLowerCase()}`;
  const saved = (await ada.post("/components", { component_code: action("saved") })).body.data;
  await operator.post("/registry", { component_code: action(key) });
  const steps = [
    {
      name: "inline",
      code: code(`return { ...$.flow.suspend(60000), mark: "${mark}" }`),
      props: {},
    },
    { name: "saved", componentId: saved.id as Id<"component">, props: {} },
    { name: "published", key, props: {} },
  ];
  const { id } = await createWorkflow(ctx, {
    ownerId: ada.user.id,
    by: null,
    name: "Flow",
    trigger: { type: "http", schedule: {} },
    steps,
    active: true,
  });
  const [current] = await ctx.workflows(id).code();
  const names = await Promise.all(
    (current?.bundleHashes ?? []).map((bundleHash) =>
      scriptName({ owner: ada.user.id, bundleHash }),
    ),
  );
  return { ada, ctx, id, names };
}

const stateOf = (names: string[]) =>
  Promise.all(names.map(async (name) => ((await uploaded(name)) === null ? "gone" : "there")));

/** Sweep three times over four days. */
async function sweepForDays() {
  for (let day = 0; day < 2; day += 1) {
    await sweep(platform());
    await passTimeOfScripts(2 * GRACE_MS);
  }
  await sweep(platform());
}

test("the sweep keeps the scripts of steps while the workflow or a run of an older version exists", async () => {
  const { ada, ctx, id, names } = await newWorkflow();
  await sweepForDays();
  expect(await stateOf(names)).toEqual(["there", "there", "there"]);

  const flow = { user: ada, id };
  const { trigger } = (await operator.get(`/workflows/${id}`)).body.data;
  await triggerHttp(trigger.endpoint_url);
  await expect.poll(() => runsOf(flow)).toMatchObject([{ state: "waiting" }]);
  await updateWorkflow(ctx, {
    id,
    by: null,
    steps: [{ name: "other", code: code("return 1"), props: {} }],
  });
  await connect(env.DB)
    .update(workflowCode)
    .set({ createdAt: 1 })
    .where(eq(workflowCode.workflowId, id));
  await sweepForDays();
  expect(await stateOf(names)).toEqual(["there", "there", "there"]);

  const [run] = await runsOf(flow);
  const { steps } = await runOf(flow, run.id);
  await send(steps[0].exports.$return_value.cancel_url);
  await expect.poll(() => runsOf(flow)).toMatchObject([{ state: "cancelled" }]);
  await sweepForDays();
  expect(await stateOf(names)).toEqual(["gone", "gone", "gone"]);
});
