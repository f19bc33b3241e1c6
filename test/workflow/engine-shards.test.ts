import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { INSTANCE_NOT_FOUND, INSTANCE_RETENTION } from "#domain/engine-instances.ts";
import { newId } from "#domain/ids.ts";
import { shardsIn } from "#domain/shards.ts";
import { type Engine, EngineShards, enginesOf } from "#durable-objects/workflow/engine-shards.ts";

import { send } from "../support/deploy.ts";
import { code, deployWorkflow, runOf, runOnce, runsOf } from "../support/workflow.ts";

const [first, second] = shardsIn<Engine>(env, "RUNS", env.RUNS);
if (!first || !second) throw new Error("The tests have two engines");

/** A new workflow, and its view of the engines when new runs start in one of them. */
function newWorkflow() {
  const workflowId = newId("workflow");
  const storage = new Map<string, unknown>();
  let others = 0;
  const at = (place: number) =>
    new EngineShards({
      kv: {
        get: (key: string) => storage.get(key),
        put: (key: string, value: unknown) => storage.set(key, value),
      } as unknown as SyncKvStorage,
      engines: [first as Engine, second as Engine],
      place,
      hasMoreThan: (instances) => others > instances,
    });
  const ticket = (runId: string) => ({
    id: `${workflowId}-${runId}`,
    params: { workflowId, runId },
    retention: INSTANCE_RETENTION,
  });
  return { at, ticket, storage, setOthers: (count: number) => (others = count) };
}

/** The numbers of the engines with an instance of this id. */
async function whereIs(id: string): Promise<number[]> {
  const found = [];
  for (const [number, engine] of [first, second].entries())
    try {
      const instance = await engine?.get(id);
      await instance?.status();
      found.push(number);
    } catch {}
  return found;
}

test("a run starts in its workflow's engine", async () => {
  const { at, ticket } = newWorkflow();
  await at(1).createBatch([ticket("a"), ticket("b")]);
  expect(await whereIs(ticket("a").id)).toEqual([1]);
  expect(await whereIs(ticket("b").id)).toEqual([1]);
});

test("a run in another engine is never started again", async () => {
  const { at, ticket, setOthers } = newWorkflow();
  setOthers(3);
  await at(1).createBatch([ticket("old")]);
  await at(0).createBatch([ticket("old"), ticket("new")]);
  await at(0).createBatch([ticket("old")]);
  expect(await whereIs(ticket("old").id)).toEqual([1]);
  expect(await whereIs(ticket("new").id)).toEqual([0]);
});

test("finds and deletes runs in any engine", async () => {
  const { at, ticket, setOthers } = newWorkflow();
  setOthers(3);
  await at(0).createBatch([ticket("old")]);
  await at(1).createBatch([ticket("new")]);
  for (const run of ["old", "new"]) {
    const instance = await at(1).get(ticket(run).id);
    expect(instance.id).toBe(ticket(run).id);
  }
  const ids = ["old", "new", "none"].map((run) => ticket(run).id);
  const { deleted, errors } = await at(1).deleteBatch(ids);
  expect(deleted.map(({ id }) => id).toSorted()).toEqual([ticket("new").id, ticket("old").id]);
  expect(errors).toMatchObject([{ id: ticket("none").id, code: INSTANCE_NOT_FOUND }]);
  expect(await whereIs(ticket("old").id)).toEqual([]);
  await expect(
    at(1)
      .get(ticket("none").id)
      .then((found) => found.status()),
  ).rejects.toThrow(/not.?found/i);
});

test("former engines are forgotten when they have no runs", async () => {
  const { at, ticket, storage, setOthers } = newWorkflow();
  setOthers(2);
  await at(1).createBatch([ticket("a")]);
  expect(storage.get("engine")).toEqual({ current: 1, former: [0] });
  await at(0).createBatch([ticket("b")]);
  expect(storage.get("engine")).toEqual({ current: 0, former: [1] });
  setOthers(1);
  await at(0).createBatch([ticket("c")]);
  expect(storage.get("engine")).toEqual({ current: 0, former: [] });
});

test("a single engine stores nothing", async () => {
  const { at, ticket, storage } = newWorkflow();
  await at(0).createBatch([ticket("a")]);
  expect(storage.size).toBe(0);
});

test("workflows are distributed over the configured number of engines", async () => {
  const ids = Array.from({ length: 20 }, () => newId("workflow"));
  expect(new Set(ids.map((id) => enginesOf(env, id).place))).toEqual(new Set([0, 1]));
  const alone = { ...env, WORKFLOW_SHARDS: "1" };
  expect(new Set(ids.map((id) => enginesOf(alone, id).place))).toEqual(new Set([0]));
  const flows = await Promise.all(
    Array.from({ length: 4 }, () =>
      deployWorkflow({ steps: [{ name: "one", component_code: code("return 1") }] }),
    ),
  );
  for (const flow of flows) {
    const run = await runOnce(flow);
    expect(await whereIs(`${flow.id}-${run.id}`)).toEqual([enginesOf(env, flow.id).place]);
  }
});

/** A workflow with its runs in the second engine, each of which waits for a request and then returns. */
async function waitingWorkflow() {
  for (;;) {
    const flow = await deployWorkflow({
      steps: [
        { name: "one", component_code: code("return $.flow.suspend()") },
        { name: "two", component_code: code("return 2") },
      ],
    });
    if (enginesOf(env, flow.id).place === 1) return flow;
  }
}

test("with fewer engines, a paused run of a removed one goes on there, and new runs start in the others", async () => {
  const flow = await waitingWorkflow();
  const waiting = async () => {
    await runOnce(flow);
    await expect.poll(async () => (await runsOf(flow))[0].state).toBe("waiting");
    const [{ id }] = await runsOf(flow);
    return runOf(flow, id);
  };
  const old = await waiting();
  expect(await whereIs(`${flow.id}-${old.id}`)).toEqual([1]);
  Reflect.set(env, "WORKFLOW_SHARDS", "1");
  try {
    await evictDurableObject(flow.stub);
    const next = await waiting();
    expect(await whereIs(`${flow.id}-${next.id}`)).toEqual([0]);
    expect(await whereIs(`${flow.id}-${old.id}`)).toEqual([1]);
    for (const run of [old, next]) {
      const { resume_url: url } = run.steps[0].exports.$return_value;
      expect((await send(url, { body: "{}" })).status).toBe(200);
    }
    const states = async () => (await runsOf(flow)).map(({ state }: { state: string }) => state);
    await expect.poll(states).toEqual(["succeeded", "succeeded"]);
    for (const run of [old, next])
      expect((await runOf(flow, run.id)).steps).toMatchObject([
        { name: "one" },
        { name: "two", exports: { $return_value: 2 } },
      ]);
  } finally {
    Reflect.set(env, "WORKFLOW_SHARDS", "2");
  }
});
