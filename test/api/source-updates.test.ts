import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { request, signUp } from "../support/client.ts";
import { HOOKED_SOURCE, HTTP_SOURCE, TIMER_SOURCE } from "../support/source-code.ts";
import { runsCommitted } from "../support/source-tables.ts";
import { newReceiver } from "../support/webhook.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

type HttpSource = { id: string; configured_props: { http: { endpoint_url: string } } };

const path = (url: string) => url.slice("http://wellspring.test".length);

/** Wake an HTTP source and read its newest event. */
async function wake(ada: Client, source: HttpSource) {
  const { status } = await request("POST", path(source.configured_props.http.endpoint_url));
  await runsCommitted(source.id);
  const { body } = await ada.get(`/sources/${source.id}/event_summaries?limit=1`);
  return { status, event: body.data[0]?.event };
}

async function create(ada: Client, component_code: string, configured_props: object = {}) {
  const { body } = await ada.post("/sources", { component_code, configured_props });
  return body.data;
}

test("an update runs hooks in order", async () => {
  const ada = await signUp();
  const source = await create(ada, HOOKED_SOURCE);
  const trace = async () => (await wake(ada, source)).event;
  expect(await trace()).toEqual(["deploy", "activate"]);

  await ada.put(`/sources/${source.id}`, { configured_props: { mark: "2" } });
  expect(await trace()).toEqual(["deploy", "activate", "deactivate", "activate:2"]);

  expect(await ada.put(`/sources/${source.id}`, { active: false })).toMatchObject({
    status: 200,
    body: { data: { active: false } },
  });
  expect((await wake(ada, source)).status).toBe(404);
  expect(await ada.get(`/sources/${source.id}`)).toMatchObject({
    body: { data: { active: false } },
  });

  expect(await ada.put(`/sources/${source.id}`, {})).toMatchObject({
    body: { data: { active: true } },
  });
  expect(await trace()).toEqual([
    "deploy",
    "activate",
    "deactivate",
    "activate:2",
    "deactivate:2",
    "activate:2",
  ]);
});

test.for(["deploy", "activate"])(
  "a source with a failing %s hook is not created, and its slug is free again",
  async (hook) => {
    const ada = await signUp();
    const body = { component_code: HOOKED_SOURCE, configured_props: { failing: hook } };
    expect(await ada.post("/sources", body)).toMatchObject({
      status: 422,
      body: {
        error: `The ${hook} hook failed: RangeError: no ${hook}`,
        code: "hook_failed",
        details: { hook, error: { name: "RangeError", message: `no ${hook}` } },
      },
    });
    expect(await ada.get("/users/me/sources")).toMatchObject({
      body: { page_info: { total_count: 0 }, data: [] },
    });
    expect((await create(ada, HOOKED_SOURCE)).name_slug).toBe("hooked");
  },
);

test("an update with a failing activate hook leaves code, values and component unchanged", async () => {
  const ada = await signUp();
  const source = await create(ada, HOOKED_SOURCE, { mark: "old" });
  const failed = await ada.put(`/sources/${source.id}`, {
    component_code: HOOKED_SOURCE.replace("0.0.1", "0.0.2"),
    name: "Renamed",
    configured_props: { failing: "activate", mark: "new" },
  });
  expect(failed).toMatchObject({ status: 422, body: { code: "hook_failed" } });
  expect((await ada.get(`/sources/${source.id}`)).body.data).toEqual(source);
  expect((await wake(ada, source)).event.at(-1)).toBe("activate:old");
  expect(await ada.put(`/sources/${source.id}`, { name: "Free again" })).toMatchObject({
    status: 200,
  });
});

test("a failing deactivate hook blocks neither an update nor a deletion", async () => {
  const ada = await signUp();
  const source = await create(ada, HOOKED_SOURCE, { failing: "deactivate" });
  expect(await ada.put(`/sources/${source.id}`, { name: "Other" })).toMatchObject({ status: 200 });
  expect(await ada.get(`/sources/${source.id}/$errors/event_summaries`)).toMatchObject({
    body: { data: [{ event: { error: { message: "no deactivate" } } }] },
  });
  expect(await ada.delete(`/sources/${source.id}`)).toMatchObject({ status: 204 });
});

test("an update merges values one by one, and keeps endpoints and secrets", async () => {
  const ada = await signUp();
  const source = await create(ada, HTTP_SOURCE, { shop: "a", token: "t", limit: 5 });

  const changed = await ada.put(`/sources/${source.id}`, {
    configured_props: { shop: "b", limit: null },
  });
  expect(changed.body.data.configured_props).toEqual({
    http: source.configured_props.http,
    shop: "b",
    limit: 10,
  });
  expect(await wake(ada, source)).toMatchObject({ event: { shop: "b", limit: 10, token: "t" } });

  const echoed = await ada.put(`/sources/${source.id}`, {
    configured_props: changed.body.data.configured_props,
  });
  expect(echoed.body.data.configured_props).toEqual(changed.body.data.configured_props);
});

test("new code keeps the values that still fit, and requires the missing ones", async () => {
  const ada = await signUp();
  const source = await create(ada, HTTP_SOURCE, { shop: "a", limit: 5 });
  const component_code = `export default {
    name: "New Order", version: "0.0.2",
    props: { http: "$.interface.http", hook: "$.interface.http", shop: "string", kind: "string" },
    run() { this.$emit({ v: 2, shop: this.shop, kind: this.kind }); },
  };`;

  expect(await ada.put(`/sources/${source.id}`, { component_code })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("configured_props.kind: is required") },
  });
  const { body } = await ada.put(`/sources/${source.id}`, {
    component_code,
    configured_props: { kind: "new" },
  });
  expect(body.data).toMatchObject({
    id: source.id,
    name: source.name,
    name_slug: source.name_slug,
  });
  expect(body.data.component_id).not.toBe(source.component_id);
  expect(body.data.configured_props).toEqual({
    http: source.configured_props.http,
    hook: { endpoint_url: expect.stringContaining("/e/") },
    shop: "a",
    kind: "new",
  });
  expect((await wake(ada, source)).event).toEqual({ v: 2, shop: "a", kind: "new" });
  expect(await ada.get(`/components/${body.data.component_id}`)).toMatchObject({
    body: { data: { version: "0.0.2" } },
  });
});

test("an update with a new name changes the slug", async () => {
  const ada = await signUp();
  const source = await create(ada, TIMER_SOURCE);
  await create(ada, TIMER_SOURCE);
  const { body } = await ada.put(`/sources/${source.id}`, { name: "Tick 2" });
  expect(body.data).toMatchObject({ name: "Tick 2", name_slug: "tick-2-2" });
});

test("rejects an update during another one", async () => {
  const ada = await signUp();
  const gate = await newReceiver({ status: 204, isHeld: true });
  const source = await create(
    ada,
    `export default { name: "Slow", version: "1",
      hooks: { deactivate: async () => { await fetch("${gate.url}", { method: "POST" }) } } };`,
  );
  const first = ada.put(`/sources/${source.id}`, { name: "First" });
  await expect.poll(gate.received).toHaveLength(1);

  const conflict = { status: 409, body: { code: "conflict" } };
  expect(await ada.put(`/sources/${source.id}`, { name: "Second" })).toMatchObject(conflict);
  expect(await ada.delete(`/sources/${source.id}`)).toMatchObject(conflict);
  await gate.release();
  expect(await first).toMatchObject({ status: 200, body: { data: { name: "First" } } });
  expect(await ada.delete(`/sources/${source.id}`)).toMatchObject({ status: 204 });
});

const DYNAMIC = `export default {
  name: "Dynamic", version: "1",
  props: {
    kind: { type: "string", reloadProps: true },
    token: { type: "string", secret: true, optional: true },
  },
  additionalProps() {
    if (this.kind === "broken") throw new Error("There is no " + this.kind);
    return this.kind === "web"
      ? { http: { type: "$.interface.http" }, room: { type: "string" } }
      : { timer: { type: "$.interface.timer", default: { intervalSeconds: 60 } } };
  },
  run() { this.$emit({ room: this.room }); },
};`;

test("checks, stores and shows a component's additional props like its declared ones", async () => {
  const ada = await signUp();
  expect(
    await ada.post("/sources", { component_code: DYNAMIC, configured_props: { kind: "web" } }),
  ).toMatchObject({
    status: 400,
    body: { details: { issues: [{ path: "configured_props.room", message: "is required" }] } },
  });

  const source = await create(ada, DYNAMIC, { kind: "web", room: "blue" });
  expect(source.configured_props).toEqual({
    kind: "web",
    room: "blue",
    http: { endpoint_url: expect.any(String) },
  });
  expect((await wake(ada, source)).event).toEqual({ room: "blue" });

  const { body } = await ada.put(`/sources/${source.id}`, { configured_props: { kind: "clock" } });
  expect(body.data.configured_props).toEqual({
    kind: "clock",
    timer: { cron: null, interval_seconds: 60 },
  });
});

test("returns an error that a component throws about its values", async () => {
  const ada = await signUp();
  expect(
    await ada.post("/sources", { component_code: DYNAMIC, configured_props: { kind: "broken" } }),
  ).toMatchObject({
    status: 422,
    body: {
      error: "additionalProps failed: There is no broken",
      code: "invalid_configuration",
    },
  });
  expect(
    await ada.post("/sources", {
      component_code: DYNAMIC,
      configured_props: { kind: "web", room: "blue", more: 1 },
    }),
  ).toMatchObject({
    status: 400,
    body: { details: { issues: [{ path: "configured_props.more" }] } },
  });
});

test("a source keeps its exact bundle until its code is updated", async () => {
  const ada = await signUp();
  const code = (n: number) =>
    `export default { name: "Kept", version: "1", props: { http: "$.interface.http", n: { type: "integer", optional: true } },
       run() { this.$emit(${n}) } };`;
  const { body } = await ada.post("/sources", { component_code: code(1) });
  const { id } = body.data;
  const bundle = async () => {
    const current = await env.SOURCES.getByName(id).current();
    return current === null ? undefined : JSON.parse(current).deployment.bundleHash;
  };
  const deployed = await bundle();
  await ada.post("/components", { component_code: code(2) });
  await ada.put(`/sources/${id}`, { configured_props: { n: 3 } });
  expect(await bundle()).toBe(deployed);
  await ada.put(`/sources/${id}`, { component_code: code(2) });
  expect(await bundle()).not.toBe(deployed);
});
