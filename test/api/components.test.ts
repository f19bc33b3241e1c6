import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { registryEntries } from "#db/schema/registry.ts";
import { sha256Hex } from "#domain/hash.ts";

import { signUp, workspaceOf } from "../support/client.ts";

const CODE = `export default {
  key: "greeter", name: "Greeter", version: "0.1.0",
  props: {
    greeting: { type: "string", label: "Greeting", default: "hello", optional: true },
    timer: { type: "$.interface.timer", default: { intervalSeconds: 60 * 15 } },
    db: "$.service.db",
  },
  run() {},
};`;

test("saves a component, and reads it by id and by key", async () => {
  const ada = await signUp();

  const saved = await ada.post("/components", { component_code: CODE });
  expect(saved).toMatchObject({
    status: 200,
    body: {
      data: {
        id: expect.stringMatching(/^sc_/),
        code: CODE,
        code_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        name: "Greeter",
        version: "0.1.0",
        configurable_props: [
          { name: "greeting", type: "string", label: "Greeting", default: "hello" },
          { name: "timer", type: "$.interface.timer", default: { intervalSeconds: 900 } },
          { name: "db", type: "$.service.db" },
        ],
        created_at: expect.any(Number),
        updated_at: expect.any(Number),
      },
    },
  });
  const { data } = saved.body;
  expect((await ada.get(`/components/${data.id}`)).body).toEqual({ data });
  expect((await ada.get("/components/greeter")).body).toEqual({ data });
});

/** Publish a saved component globally under a key. */
async function publish(componentId: `sc_${string}`, key: string) {
  await connect(env.DB)
    .insert(registryEntries)
    .values({ key, version: "1.0.0", componentId, createdAt: 0, updatedAt: 0 });
}

const keyed = (key: string, version: string) =>
  `export default { key: "${key}", name: "n", version: "${version}", run() {} }`;

test("the hash of a component is that of its code as sent", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/components", { component_code: CODE });
  expect(body.data.code_hash).toBe(await sha256Hex(CODE));
});

test("a key resolves to the caller's newest component, else to the registry's", async () => {
  const [ada, bob] = [await signUp(), await signUp()];
  const key = `shared-${ada.user.id}`;
  const published = await bob.post("/components", { component_code: keyed(key, "bob") });
  await publish(published.body.data.id, key);

  expect((await ada.get(`/components/${key}`)).body).toEqual(published.body);
  expect((await ada.get(`/components/${published.body.data.id}`)).body).toEqual(published.body);

  await ada.post("/components", { component_code: keyed(key, "first") });
  await ada.post("/components", { component_code: keyed(key, "second") });
  expect((await ada.get(`/components/${key}`)).body.data.version).toBe("second");
  expect((await ada.get(`/components/registry/${key}`)).body).toEqual(published.body);
  expect(await ada.get("/components/registry/nowhere")).toMatchObject({ status: 404 });
});

test("a workspace's component is visible to its members alone", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const org = await workspaceOf(ada, bob);
  const saved = await ada.post(`/components?org_id=${org}`, { component_code: CODE });
  const { id } = saved.body.data;

  expect((await bob.get(`/components/${id}`)).body).toEqual(saved.body);
  expect((await bob.get("/components/greeter")).body).toEqual(saved.body);
  for (const path of [`/components/${id}`, "/components/greeter"])
    expect(await eve.get(path)).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect(await eve.post("/components", { component_code: CODE, workspace_id: org })).toMatchObject({
    status: 404,
  });
});

test.for([
  ["neither code nor URL", {}, "component_code"],
  ["an invalid URL", { component_url: "ftp://example.com/a.mjs" }, "component_url"],
  ["code as a number", { component_code: 42 }, "component_code"],
  ["an invalid workspace", { component_code: CODE, org_id: "u_1" }, "org_id"],
] as const)("rejects a component with %s", async ([, body, path]) => {
  const ada = await signUp();
  expect(await ada.post("/components", body)).toMatchObject({
    status: 400,
    body: {
      error: expect.stringContaining(path),
      code: "invalid_input",
      details: { issues: [{ path, message: expect.any(String) }] },
    },
  });
});

test("a URL beside code is kept as metadata, and determines the code's language", async () => {
  const ada = await signUp();
  const component_code = `const name: string = "typed"; export default { name, version: "1" }`;
  const component_url = "https://example.com/sources/typed.ts?raw=1";
  expect(await ada.post("/components", { component_code, component_url })).toMatchObject({
    status: 200,
    body: { data: { name: "typed" } },
  });
  expect(await ada.post("/components", { component_code })).toMatchObject({ status: 422 });
});

test.for([
  ["does not parse", "export default {\n  run() { return 1 +; }\n}", 2, 21, /Unexpected/],
  ["has no default export", "export const a = 1", 1, 1, /no default export/],
  ["imports a missing file", `import "./nowhere.mjs"; export default {}`, 1, 8, /nowhere/],
  ["throws", `\n  throw new TypeError("no")`, 2, 9, /TypeError: no/],
  ["exports no object", "export default 42", 1, 1, /does not export a component object/],
  ["has no name", `export default { version: "1", run() {} }`, 1, 1, /must have a name/],
  ["has no version", `export default { name: "n", run() {} }`, 1, 1, /must have a version/],
  [
    "is an action without run",
    `export default { name: "n", version: "1", type: "action" }`,
    1,
    1,
    /run: an action must have/,
  ],
  [
    "compiles code from text",
    `new Function("return 1")(); export default { name: "n", version: "1", run() {} }`,
    1,
    1,
    /^The code compiles code from text \(eval, new Function\), which cannot be done here \(EvalError/,
  ],
  [
    "has an HTTP interface without run",
    `export default { name: "n", version: "1", props: { http: "$.interface.http" } }`,
    1,
    1,
    /run: a source with an HTTP interface/,
  ],
] as const)("rejects code that %s with its place, and does not save it", async (refusal) => {
  const [, code, line, column, message] = refusal;
  const ada = await signUp();
  const refused = await ada.post("/components", { component_code: code });
  expect(refused).toMatchObject({ status: 422, body: { code: "invalid_component" } });
  const [{ text, ...where }] = refused.body.details.issues;
  expect(where).toEqual({ file: "component.js", line, column });
  expect(text).toMatch(message);
  const { results } = await env.DB.prepare("SELECT * FROM components WHERE owner_id = ?")
    .bind(ada.user.id)
    .all();
  expect(results).toEqual([]);
});
