import { expect, test } from "vitest";

import { newCaller, ok } from "../support/api.ts";
import { clientOf, operator, request } from "../support/client.ts";
import { deployEcho, ECHO } from "../support/echo.ts";

/** This source emits an event in each of its three hooks, with the hook's name. */
const HOOKED = `export default { name: "Hooked", version: "1", props: { http: "$.interface.http" },
  hooks: { deploy() { this.$emit("deploy"); }, activate() { this.$emit("activate"); },
    deactivate() { this.$emit("deactivate"); } },
  run() { this.$emit("run"); } };`;

test("POST /components | one is required", async () => {
  const { api } = await newCaller();
  expect(await api.saveComponent({ body: {} })).toMatchObject({
    status: 400,
    data: { error: expect.stringContaining("component_code") },
  });
});

test("POST /components | when both are present component_code is used and component_url is only metadata", async () => {
  const { api } = await newCaller();
  const body = { component_code: ECHO, component_url: "http://127.0.0.1:1/never-read.js" };
  expect(ok(await api.saveComponent({ body })).data.code).toBe(ECHO);
});

test("GET /components/{key or id} | path: the component key or the saved component id", async () => {
  const { api } = await newCaller();
  const { data } = ok(await api.saveComponent({ body: { component_code: ECHO } }));
  expect(ok(await api.getComponent({ key: data.id })).data).toEqual(data);
  expect(ok(await api.getComponent({ key: "echo-it" })).data).toEqual(data);
  expect(await api.getComponent({ key: "nobody-has-this" })).toMatchObject({ status: 404 });
});

test("GET /components/registry/{key} | path: key of a globally published component", async () => {
  const { api } = await newCaller();
  const code = `export default { key: "spec-published", name: "P", version: "1.0.0", run() {} }`;
  expect(await api.getRegistryComponent({ key: "spec-published" })).toMatchObject({ status: 404 });
  await operator.post("/registry", { component_code: code });
  expect(ok(await api.getRegistryComponent({ key: "spec-published" })).data).toMatchObject({
    code,
    version: "1.0.0",
  });
});

test("POST /sources | one of component_id, component_code, component_url is required", async () => {
  const { api } = await newCaller();
  const { status, data } = await api.createSource({ body: { name: "Nothing to run" } });
  expect([status, data]).toMatchObject([400, { code: "invalid_input" }]);
});

test("POST /sources | precedence component_id, then code, with component_url used only as metadata", async () => {
  const { api } = await newCaller();
  const { data } = ok(await api.saveComponent({ body: { component_code: ECHO } }));
  const body = { component_code: "not read", component_url: "http://127.0.0.1:1/not-read.js" };
  const source = ok(await api.createSource({ body: { component_id: data.id, ...body } }));
  expect(source.data.component_id).toBe(data.id);
});

test("POST /sources | name (string, optional, defaults to the component's name slug)", async () => {
  const { api } = await newCaller();
  const body = { component_code: ECHO };
  expect(ok(await api.createSource({ body })).data).toMatchObject({
    name: "echo-it",
    name_slug: "echo-it",
  });
  expect(ok(await api.createSource({ body: { ...body, name: "My Own" } })).data).toMatchObject({
    name: "My Own",
    name_slug: "my-own",
  });
});

test("name | converted to a unique slug on deploy, auto-incremented if not unique within the account", async () => {
  const { api } = await newCaller();
  const slugs = [];
  for (let made = 0; made < 3; made += 1)
    slugs.push(ok(await api.createSource({ body: { component_code: ECHO } })).data.name_slug);
  expect(slugs).toEqual(["echo-it", "echo-it-2", "echo-it-3"]);
});

test("GET /users/me/sources/ | paginated list of sources", async () => {
  const caller = await newCaller();
  const { id } = await deployEcho(caller);
  expect(ok(await caller.api.listSources())).toMatchObject({
    page_info: { total_count: 1 },
    data: [{ id }],
  });
  const slash = await clientOf(caller.key, "/v1").get("/users/me/sources/");
  expect(slash.body).toEqual(ok(await caller.api.listSources()));
});

test("saved component | deploy (POST /sources) | new dc_ id generated; optional deploy() hook and then activate() hook run", async () => {
  const source = await deployEcho(await newCaller(), HOOKED);
  expect((await source.events()).map(({ event }) => event)).toEqual(["activate", "deploy"]);
});

test("PUT /sources/{id} | deactivate() hook runs, code and props are updated, activate() hook runs; the dc_ id is unchanged", async () => {
  const caller = await newCaller();
  const source = await deployEcho(caller, HOOKED);
  const component_code = HOOKED.replace(`"run")`, `"run 2")`);
  const updated = ok(await caller.api.updateSource({ id: source.id, body: { component_code } }));
  expect(updated.data).toMatchObject({ id: source.id, active: true });
  await source.send({});
  expect((await source.events()).map(({ event }) => event).slice(0, 3)).toEqual([
    "run 2",
    "activate",
    "deactivate",
  ]);
});

test("PUT /sources/{id} | active (boolean, optional, default true; false disables)", async () => {
  const caller = await newCaller();
  const source = await deployEcho(caller);
  const update = async (body: { active?: boolean; name?: string }) =>
    ok(await caller.api.updateSource({ id: source.id, body })).data.active;
  expect(await update({ active: false })).toBe(false);
  expect(await source.send({})).toMatchObject({ status: 404 });
  expect(await update({ name: "again" })).toBe(true);
  expect(await source.send({})).toMatchObject({ status: 200 });
});

test("DELETE /sources/{id} | deactivate() hook runs, then the instance is removed", async () => {
  const caller = await newCaller();
  const source = await deployEcho(caller, HOOKED);
  expect(await caller.api.deleteSource({ id: source.id })).toMatchObject({ status: 204 });
  expect(await caller.api.getSource({ id: source.id })).toMatchObject({ status: 404 });
  expect(await source.send({})).toMatchObject({ status: 404 });
});

test("A saved component cannot be invoked; it must be deployed first", async () => {
  const { api, key } = await newCaller();
  const { data } = ok(await api.saveComponent({ body: { component_code: ECHO } }));
  expect(data).not.toHaveProperty("configured_props");
  const read = await clientOf(key, "/v1").get(`/sources/${data.id}`);
  expect(read.status).toBe(404);
  expect(await request("POST", `/e/${data.id.slice(3)}`, { body: {} })).toMatchObject({
    status: 404,
  });
});
