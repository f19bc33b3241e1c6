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
import { beginChange } from "../support/unattended.ts";
import { newReceiver } from "../support/webhook.ts";

const LONG_AGO = 1;

type Signed = Awaited<ReturnType<typeof signUp>>;

const listed = async (ada: Signed) => (await ada.get("/users/me/sources")).body.data;

/** A component whose `activate` reports its start, and runs on until the receiver is released. */
const slow = (url: string) => `export default { name: "Slow", version: "1",
  props: { http: "$.interface.http", mark: { type: "string", optional: true } },
  hooks: { async activate() {
    await fetch("${url}", { method: "POST" });
    if (this.mark === "failing") throw new RangeError("no");
    await fetch("${url}", { method: "POST" });
    this.$emit("activated");
  } },
  run() {} }`;

test("a create completes if its caller hangs up during a hook, and the source is listed", async () => {
  const ada = await signUp();
  const { url, received, release } = await newReceiver({ status: 204, isHeld: true });
  const input = { code: slow(url), name: "Left alone" };
  const hangUp = beginChange(env, { user: ada.user, input });
  await expect.poll(async () => (await received()).length).toBe(1);
  expect(await listed(ada)).toEqual([]);
  await hangUp();
  await release();

  await expect.poll(() => listed(ada)).toMatchObject([{ name: "Left alone", active: true }]);
  expect(await received()).toHaveLength(2);
  const [source] = await listed(ada);
  expect((await ada.get(`/components/${source.component_id}`)).body.data.name).toBe("Slow");
  const events = await ada.get(`/sources/${source.id}/event_summaries?expand=event`);
  expect(events.body.data).toMatchObject([{ event: "activated" }]);
  // Nothing is pending, and the source may be changed at once.
  expect(await ada.put(`/sources/${source.id}`, { name: "Next" })).toMatchObject({ status: 200 });
});

test("an update completes if its caller hangs up during a hook", async () => {
  const ada = await signUp();
  const { url, received, release } = await newReceiver({ status: 204, isHeld: true });
  const { data: source } = (await ada.post("/sources", { component_code: HOOKED_SOURCE })).body;
  const input = { code: slow(url), name: "After", configuredProps: { mark: "new" } };
  const hangUp = beginChange(env, { user: ada.user, id: source.id, input });
  await expect.poll(async () => (await received()).length).toBe(1);
  await hangUp();
  expect((await ada.put(`/sources/${source.id}`, {})).status).toBe(409);
  await release();

  await expect
    .poll(() => listed(ada))
    .toMatchObject([{ name: "After", configured_props: { mark: "new" } }]);
  const [{ component_id: id }] = await listed(ada);
  expect((await ada.get(`/components/${id}`)).body.data.name).toBe("Slow");
  expect(await ada.put(`/sources/${source.id}`, { name: "Next" })).toMatchObject({ status: 200 });
});

test("an update that fails after its caller hung up leaves the source unchanged", async () => {
  const ada = await signUp();
  const { data: source } = (await ada.post("/sources", { component_code: HOOKED_SOURCE })).body;
  const [before] = await listed(ada);
  const { url, received, release } = await newReceiver({ status: 204, isHeld: true });
  const input = { code: slow(url), name: "After", configuredProps: { mark: "failing" } };
  const hangUp = beginChange(env, { user: ada.user, id: source.id, input });
  await expect.poll(async () => (await received()).length).toBe(1);
  await hangUp();
  const renamed = async () => (await ada.put(`/sources/${source.id}`, { name: "Next" })).status;
  expect((await rowOf(source.id))?.updatingSince).not.toBeNull();
  await release();
  await expect.poll(async () => (await rowOf(source.id))?.updatingSince).toBeNull();
  expect(await listed(ada)).toEqual([before]);
  expect(await renamed()).toBe(200);
});

/** A deployed source whose row is still `deploying`: its process crashed in between. */
async function settledUnseen(updatingSince: number) {
  const ada = await signUp();
  const { data: source } = (await ada.post("/sources", { component_code: HOOKED_SOURCE })).body;
  const stub = env.SOURCES.getByName(source.id);
  const { deployment } = JSON.parse((await stub.current()) ?? "");
  const { change, bundleHash } = deployment;
  const pending = {
    change,
    component: null,
    componentId: source.component_id,
    name: "",
    bundleHash,
  };
  await db()
    .update(sources)
    .set({ state: "deploying", updatingSince, pending })
    .where(eq(sources.id, source.id));
  await runInDurableObject(stub, (_, { storage }) => storage.kv.put("untold", change));
  await evictDurableObject(stub);
  expect(await listed(ada)).toEqual([]);
  return { ada, source, stub };
}

const db = () => connect(env.DB);

async function rowOf(id: Id<"source">) {
  const [row] = await db().select().from(sources).where(eq(sources.id, id));
  return row;
}

test("the alarm completes a create whose process crashed before the row was updated", async () => {
  const { ada, source, stub } = await settledUnseen(Math.floor(Date.now() / 1000));
  await runInDurableObject(stub, async (object) => object.alarm());
  expect(await listed(ada)).toMatchObject([{ id: source.id, active: true }]);
  const left = await runInDurableObject(stub, (_, { storage }) => storage.kv.get("untold"));
  expect(left).toBeUndefined();
});

test("the sweep completes a create whose object never reported it", async () => {
  const { ada, source } = await settledUnseen(LONG_AGO);
  await sweep(openContext(env));
  await sweep(openContext(env));
  expect(await listed(ada)).toMatchObject([{ id: source.id, active: true }]);
  expect(await rowOf(source.id)).toMatchObject({ updatingSince: null, pending: null });
});
