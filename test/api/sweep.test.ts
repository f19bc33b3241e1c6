// @suites loader

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { sources } from "#db/schema/tables.ts";
import type { Id } from "#domain/ids.ts";
import { sweep } from "#services/maintenance/sweep.ts";
import { openContext } from "#worker/bindings.ts";

import { signUp } from "../support/client.ts";
import { HOOKED_SOURCE } from "../support/source-code.ts";

const LONG_AGO = 1;

async function deployed() {
  const ada = await signUp();
  const { data } = (await ada.post("/sources", { component_code: HOOKED_SOURCE })).body;
  return { ada, source: data as { id: Id<"source">; component_id: Id<"component"> } };
}

const db = () => connect(env.DB);

function set(id: Id<"source">, row: Partial<typeof sources.$inferInsert>) {
  return db().update(sources).set(row).where(eq(sources.id, id));
}

async function rowOf(id: Id<"source">) {
  const [row] = await db().select().from(sources).where(eq(sources.id, id));
  return row;
}

/** Sweep twice: the second sweep must not undo the first. */
async function sweepTwice() {
  await sweep(openContext(env));
  await sweep(openContext(env));
}

test.for(["deploying", "deleting"] as const)(
  "deletes a source that is stuck in %s, with its object's storage",
  async (state) => {
    const { ada, source } = await deployed();
    // Its create was never finished.
    if (state === "deploying")
      await runInDurableObject(env.SOURCES.getByName(source.id), (_, { storage }) =>
        storage.kv.put("status", { phase: "changing", active: true }),
      );
    await evictDurableObject(env.SOURCES.getByName(source.id));
    await set(source.id, { state, updatingSince: LONG_AGO });
    expect(await ada.get(`/sources/${source.id}`)).toMatchObject({ status: 404 });

    await sweepTwice();
    expect(await rowOf(source.id)).toBeUndefined();
    expect(await env.SOURCES.getByName(source.id).current()).toBeNull();
  },
);

test("does not touch a source with a running change", async () => {
  const { source } = await deployed();
  const updatingSince = Math.floor(Date.now() / 1000) - 60;
  await set(source.id, { state: "deleting", updatingSince });
  await sweepTwice();
  expect(await rowOf(source.id)).toMatchObject({ state: "deleting", updatingSince });
});

test("records an update that took effect in the object", async () => {
  const { ada, source } = await deployed();
  const before = await rowOf(source.id);
  const component = (
    await ada.post("/components", { component_code: HOOKED_SOURCE.replace("0.0.1", "0.0.2") })
  ).body.data;
  await ada.put(`/sources/${source.id}`, {
    component_id: component.id,
    name: "After",
    active: false,
    configured_props: { mark: "new" },
  });
  const after = await rowOf(source.id);
  const current = JSON.parse((await env.SOURCES.getByName(source.id).current()) ?? "");

  // As if the process had crashed between the object's response and the update of the row.
  await set(source.id, {
    ...before,
    updatingSince: LONG_AGO,
    pending: {
      bundleHash: current.deployment.bundleHash,
      component: null,
      componentId: component.id,
      name: "After",
    },
  });
  await sweepTwice();
  expect(await rowOf(source.id)).toEqual({ ...after, updatedAt: expect.any(Number) });
});

test("discards an update that never took effect", async () => {
  const { source } = await deployed();
  const before = await rowOf(source.id);
  await set(source.id, {
    updatingSince: LONG_AGO,
    pending: { bundleHash: "other", component: null, componentId: "sc_other", name: "Other" },
  });
  await sweepTwice();
  expect(await rowOf(source.id)).toEqual({ ...before, updatedAt: expect.any(Number) });
});

test("a stale claim does not block the next update", async () => {
  const { ada, source } = await deployed();
  await set(source.id, { updatingSince: LONG_AGO });
  expect(await ada.put(`/sources/${source.id}`, { name: "Next" })).toMatchObject({ status: 200 });
});

test("an update after an interrupted one first completes that one", async () => {
  const { ada, source } = await deployed();
  const before = await rowOf(source.id);
  const code = HOOKED_SOURCE.replace("0.0.1", "0.0.3");
  const component = (await ada.post("/components", { component_code: code })).body.data;
  await ada.put(`/sources/${source.id}`, { component_id: component.id, name: "After" });
  const current = JSON.parse((await env.SOURCES.getByName(source.id).current()) ?? "");
  const { bundleHash } = current.deployment;
  const pending = { bundleHash, component: null, componentId: component.id, name: "After" };
  await set(source.id, { ...before, updatingSince: LONG_AGO, pending });

  // It is rejected, and must not lose the interrupted update, which is not recorded yet.
  const refused = await ada.put(`/sources/${source.id}`, { component_code: "no code" });
  expect(refused).toMatchObject({ status: 422 });
  expect(await rowOf(source.id)).toMatchObject({
    componentId: component.id,
    name: "After",
    updatingSince: null,
    pending: null,
  });
  expect(await ada.put(`/sources/${source.id}`, { name: "Next" })).toMatchObject({
    status: 200,
    body: { data: { name: "Next", component_id: component.id } },
  });
});
