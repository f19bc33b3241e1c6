import { expect, inject, test } from "vitest";

import { sha256Hex } from "#domain/hash.ts";

import { operator, signUp } from "../support/client.ts";

const FILES = {
  "sources/new/new.mjs": `
    import app from "../../app.js";
    export default { name: app.name, version: "0.0.1", run() {} };`,
  "app.js": `module.exports = { name: "spread" };`,
};

test("imports a component from a URL with the files beside it", async () => {
  const ada = await signUp();
  const component_url = `${inject("fileServer")}/a/named.mjs`;
  const saved = await ada.post("/components", { component_url });
  expect(saved).toMatchObject({ status: 200, body: { data: { name: "rss", version: "1.0.0" } } });
  const { id, code, code_hash } = saved.body.data;
  expect(code).toContain("rss.app.mjs");
  expect(code_hash).toBe(await sha256Hex(code));
  expect(await ada.get(`/components/${id}`)).toMatchObject({ body: { data: { code } } });

  const source = await ada.post("/sources", { component_url, name: "from-a-url" });
  expect(source).toMatchObject({ status: 200, body: { data: { name: "from-a-url" } } });
});

test("saves a component from files", async () => {
  const ada = await signUp();
  const body = { component_files: FILES, entry: "sources/new/new.mjs" };
  expect(await ada.post("/components", body)).toMatchObject({
    status: 200,
    body: { data: { name: "spread", code: FILES["sources/new/new.mjs"] } },
  });
});

const TS_FILES = {
  "sources/new.ts": `import { name } from "../names.js";
    export default { name, version: "0.0.1", run(event: unknown) {} };`,
  "names.ts": `export const name: string = "typed";`,
};

test.for(["component_files", "files"])("creates and updates a source from %s", async (field) => {
  const ada = await signUp();
  const body = { [field]: TS_FILES, entry: "sources/new.ts" };
  const created = await ada.post("/sources", body);
  expect(created).toMatchObject({ status: 200, body: { data: { name: "typed" } } });
  const { id, component_id } = created.body.data;
  const changed = await ada.put(`/sources/${id}`, body);
  expect(changed).toMatchObject({ status: 200, body: { data: { id } } });
  expect(changed.body.data.component_id).not.toBe(component_id);
});

test("runs an action from its files, and returns the type of a component", async () => {
  const ada = await signUp();
  const component_files = {
    "act.ts": `import { word } from "./word.ts"; export default { type: "action", name: "a", version: "1", run: () => word }`,
    "word.ts": `export const word: string = "done"`,
  };
  const body = { component_files, entry: "act.ts" };
  expect(await ada.post("/actions/run", body)).toMatchObject({ body: { data: { ret: "done" } } });
  const type = async (sent: object) => (await ada.post("/components", sent)).body.data;
  expect(await type(body)).toMatchObject({ component_type: "action" });
  expect(await type({ files: TS_FILES, entry: "sources/new.ts" })).toMatchObject({
    component_type: "source",
  });
});

test("treats component_code as TypeScript if language requires it", async () => {
  const ada = await signUp();
  const component_code = `export default { name: "t", version: "1", run(event: unknown) {} };`;
  const as = (language?: string) => ada.post("/sources", { component_code, language });
  expect(await as("ts")).toMatchObject({ status: 200 });
  expect(await as()).toMatchObject({
    status: 422,
    body: { details: { issues: [{ file: "component.js" }] } },
  });
  expect(await as("rust")).toMatchObject({ status: 400 });
});

test.for(["/new.js", "../new.js", "a//new.js", "a/./new.js", "a\\new.js", "new.js\n", ""])(
  "rejects a file at %j",
  async (path) => {
    const ada = await signUp();
    const component_files = { [path]: "export default {}" };
    expect(await ada.post("/sources", { component_files })).toMatchObject({
      status: 400,
      body: { details: { issues: [{ path: "component_files" }] } },
    });
  },
);

test("accepts a component of a thousand files", async () => {
  const ada = await signUp();
  const others = Array.from({ length: 999 }, (_, n) => [`lib/${n}.js`, ""]);
  const component_files = { ...FILES, ...Object.fromEntries(others) };
  const body = { component_files, entry: "sources/new/new.mjs" };
  expect(await ada.post("/components", body)).toMatchObject({
    status: 400,
    body: { details: { issues: [{ message: "it may have at most 1000 files" }] } },
  });
});

test.for([
  ["an entry that is not among the files", { component_files: FILES, entry: "new.mjs" }],
  ["no entry of two files", { component_files: FILES }],
  ["no files", { component_files: {} }],
] as const)("rejects a component with %s", async ([, body]) => {
  const ada = await signUp();
  expect(await ada.post("/components", body)).toMatchObject({
    status: 400,
    body: { code: "invalid_input", details: { issues: [{ path: "entry" }] } },
  });
});

test.for([
  ["a syntax error below", "/a/wrong.mjs", 422, "a/deep/syntax.mjs"],
  ["a missing file below", "/a/missing.mjs", 422, "a/deep/two.mjs"],
  ["a URL without a file", "/nowhere.mjs", 422, "nowhere.mjs"],
  ["a server that fails", "/broken/component.mjs", 502, "component.mjs"],
] as const)("reports %s with its file", async ([, path, status, file]) => {
  const ada = await signUp();
  const answer = await ada.post("/components", { component_url: inject("fileServer") + path });
  expect(answer).toMatchObject({
    status,
    body: { details: { issues: [{ file: expect.stringContaining(file) }] } },
  });
});

test("shows the packages of a component's bundle on request", async () => {
  const ada = await signUp();
  const component_code = `import { v4 } from "uuid@^9"; export default { name: "n", version: "1", run: () => v4() };`;
  const saved = await ada.post("/components", { component_code });
  expect(saved).toMatchObject({ status: 200 });
  const path = `/components/${saved.body.data.id}`;
  expect((await ada.get(path)).body.data).not.toHaveProperty("lockfile");
  expect((await ada.get(`${path}?include=id,lockfile`)).body.data).toEqual({
    id: saved.body.data.id,
    lockfile: {
      lockfileVersion: 1,
      requests: { "uuid@^9": "node_modules/uuid" },
      packages: {
        "node_modules/uuid": {
          name: "uuid",
          version: expect.stringMatching(/^9\./),
          integrity: expect.stringMatching(/^sha512-/),
        },
      },
    },
  });
});

test("the operator publishes rising versions, and old ones stay readable", async () => {
  const ada = await signUp();
  const key = `published-${crypto.randomUUID()}`;
  const publish = (version: string) =>
    operator.post("/registry", {
      component_code: `export default { key: "${key}", name: "P", version: "${version}", props: { http: "$.interface.http" }, run() {} };`,
    });
  const first = await publish("0.9.0");
  expect(first).toMatchObject({ status: 200, body: { data: { version: "0.9.0" } } });
  expect(await publish("0.9.0")).toMatchObject({ status: 409, body: { code: "conflict" } });
  expect(await publish("0.10.0")).toMatchObject({ status: 200 });
  expect(await publish("0.9.1")).toMatchObject({ status: 409 });
  expect(await publish("latest")).toMatchObject({
    status: 422,
    body: { code: "invalid_component" },
  });

  const newest = await ada.get(`/components/registry/${key}`);
  expect(newest).toMatchObject({ status: 200, body: { data: { version: "0.10.0" } } });
  const old = await ada.get(`/components/${first.body.data.id}`);
  expect(old).toMatchObject({ status: 200, body: { data: { version: "0.9.0" } } });
  expect(await ada.post("/sources", { key })).toMatchObject({ status: 200 });
});

test("of simultaneous requests that publish one version, one succeeds", async () => {
  const key = `raced-${crypto.randomUUID()}`;
  const component_code = `export default { key: "${key}", name: "R", version: "1.0.0", run() {} };`;
  const answers = await Promise.all(
    [1, 2, 3].map(() => operator.post("/registry", { component_code })),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
});

test.for([
  ["key", `export default { name: "n", version: "1.0.0", run() {} }`],
  ["code", undefined],
] as const)("publishes nothing without %s", async ([, component_code]) => {
  const { status } = await operator.post("/registry", { component_code });
  expect(status).toBe(component_code === undefined ? 400 : 422);
});
