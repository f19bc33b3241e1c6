// @suites release

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { componentOfVersion, pageOfComponents } from "#db/connect/components.ts";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { codeOf, idOfKey, newKey, published, statuses } from "../support/registry.ts";

test("the list, the search and the component show a deprecation", async () => {
  const ada = await signUp();
  const key = newKey();
  const word = `w${crypto.randomUUID().slice(0, 8)}`;
  await published(operator, codeOf(key, "1.0.0", `description: "${word}",`), { license: "MIT" });
  const path = `/registry/${key}/versions/1.0.0`;
  const shown = async () => [
    (await operator.get(`/registry?limit=1`)).body.data[0],
    (await ada.get(`/components/search?query=${word}`)).body.data[0],
    (await ada.get(`/components/${key}`)).body.data,
    (await ada.get(`/components/registry/${key}`)).body.data,
    (await ada.get(`/registry/${key}/versions`)).body.data[0],
  ];
  for (const deprecated of ["Use another", null]) {
    const answer = await operator.put(path, { deprecated });
    expect(answer.body.data).toMatchObject({ key, version: "1.0.0", license: "MIT", deprecated });
    for (const place of await shown())
      expect({ deprecated: null, ...place }).toMatchObject({ license: "MIT", deprecated });
  }
  for (const hostile of ["", "x".repeat(1001), 7, {}])
    expect((await operator.put(path, { deprecated: hostile })).status).toBe(400);
});

test("compares two versions by code, props and definition", async () => {
  const ada = await signUp();
  const key = newKey();
  await published(
    ada,
    codeOf(key, "1.0.0", `props: { kept: "string", gone: "string", __proto__x: "string" },`),
  );
  await published(
    ada,
    codeOf(
      key,
      "1.1.0",
      `description: "New", props: { kept: "integer", fresh: "string", __proto__x: "string" },`,
    ),
  );
  const { status, body } = await ada.get(`/registry/${key}/diff?from=1.0.0&to=1.1.0`);
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    key,
    from: "1.0.0",
    to: "1.1.0",
    omitted: [],
    props: [
      { name: "kept", change: "changed", from: { type: "string" }, to: { type: "integer" } },
      { name: "gone", change: "removed", from: { name: "gone" }, to: null },
      { name: "fresh", change: "added", from: null, to: { name: "fresh" } },
    ],
  });
  expect(body.data.fields).toContainEqual({ field: "description", from: null, to: "New" });
  expect(body.data.code).toMatch(/^-.*run\(\) \{ return "1\.0\.0"; \},$/m);
  expect(body.data.code).toMatch(/^\+.*run\(\) \{ return "1\.1\.0"; \},$/m);
  const same = await ada.get(`/registry/${key}/diff?from=1.1.0&to=1.1.0`);
  expect(same.body.data).toMatchObject({ code: "", props: [], fields: [] });
  expect((await ada.get(`/registry/${key}/diff?from=1.0.0&to=7.0.0`)).status).toBe(404);
  expect((await ada.get(`/registry/${key}/diff?from=1.0.0`)).status).toBe(400);
});

test("compares all files of a component, and derives its licence from them", async () => {
  const ada = await signUp();
  const key = newKey();
  const filesOf = (version: string, name: string) => ({
    "package.json": `{"license": "SEE LICENSE IN terms.txt"}`,
    "terms.txt": "Do good.",
    "actions/run.mjs": `import name from "../name.mjs";\n${codeOf(key, version, `description: name,`)}`,
    "name.mjs": `export default "${name}";\n`,
  });
  for (const [version, name] of [
    ["1.0.0", "old"],
    ["1.0.1", "new"],
  ] as const) {
    const { status, body } = await ada.post("/registry", {
      component_files: filesOf(version, name),
      entry: "actions/run.mjs",
    });
    expect([status, body.data?.license]).toEqual([200, "SEE LICENSE IN terms.txt"]);
  }
  const { body } = await ada.get(`/registry/${key}/diff?from=1.0.0&to=1.0.1`);
  expect(body.data.code).toContain(`--- name.mjs`);
  expect(body.data.code).toContain(`-export default "old";\n+export default "new";`);
});

test("compares versions that differ in every line within the time limit", async () => {
  const ada = await signUp();
  const key = newKey();
  const long = (version: string) =>
    codeOf(key, version) +
    Array.from({ length: 20_000 }, (_, n) => `// ${version} ${(n * 7919) % 20_000}\n`).join("");
  await published(ada, long("1.0.0"));
  await published(ada, long("1.0.1"));
  const { body } = await ada.get(`/registry/${key}/diff?from=1.0.0&to=1.0.1`);
  expect(body.data).toMatchObject({ code: "", omitted: ["component"] });
});

test("rejects licences that are not on the operator's list by name", async () => {
  const ada = await signUp();
  const before = env.REGISTRY_LICENSES;
  Object.assign(env, { REGISTRY_LICENSES: "MIT, apache-2.0" });
  try {
    const key = newKey();
    const publish = (version: string, license?: string) =>
      ada.post("/registry", { component_code: codeOf(key, version), license });
    const refused = await publish("1.0.0", "GPL-3.0");
    expect(refused).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect(refused.body.error).toContain(`"GPL-3.0"`);
    expect(statuses([await publish("1.0.0"), await publish("1.0.0", "MIT AND GPL-3.0")])).toEqual([
      403, 403,
    ]);
    expect(await idOfKey(ada, key)).toBe(404);
    expect((await publish("1.0.0", "GPL-3.0 OR mit")).status).toBe(200);
    Object.assign(env, { REGISTRY_LICENSES: "MIT,none" });
    expect((await publish("1.1.0")).status).toBe(200);
    expect((await publish("1.2.0", "none")).status).toBe(403);
    const hidden = await publish("1.3.0", "MIT\u0000");
    expect(hidden.status).toBe(400);
  } finally {
    Object.assign(env, { REGISTRY_LICENSES: before });
  }
});

test("publishes unusual keys and versions, and rejects invalid versions and a missing key", async () => {
  const ada = await signUp();
  for (const key of [
    `a b/${newKey()}`,
    `../${newKey()}`,
    `imports`,
    `__proto__`,
    `%2f${newKey()}`,
    `' OR 1=1 --${newKey()}`,
    `ключ-${newKey()}`,
  ]) {
    const { id } = await published(ada, codeOf(key, "1.0.0-beta.1+build/7".replace("/", ".")));
    const path = `/registry/${encodeURIComponent(key)}`;
    expect([key, await idOfKey(ada, key)]).toEqual([key, id]);
    const { body } = await ada.get(`${path}/versions`);
    expect([key, body.data?.[0]?.component_id]).toEqual([key, id]);
    const version = encodeURIComponent("1.0.0-beta.1+build.7");
    expect([key, (await ada.delete(`${path}/versions/${version}`)).status]).toEqual([key, 204]);
  }
  for (const version of ["1", "latest", "1.0.0'; DROP TABLE x", " ", "1.0.0.0"]) {
    const answer = await ada.post("/registry", { component_code: codeOf(newKey(), version) });
    expect([version, answer.status]).toEqual([version, 422]);
    const gone = await ada.delete(`/registry/x/versions/${encodeURIComponent(version)}`);
    expect([version, gone.status]).toEqual([version, 404]);
  }
  const noKey = `export default { name: "N", version: "1.0.0", type: "action", run() {} }`;
  expect((await ada.post("/registry", { component_code: noKey })).status).toBe(422);
});

test("a list has the newest version of each key, page by page", async () => {
  const ada = await signUp();
  const org = await workspaceOf(ada);
  const keys = [newKey(), newKey(), newKey()];
  for (const key of keys) await published(ada, codeOf(key, "1.0.0"));
  const [oldest = ""] = keys;
  await published(ada, codeOf(oldest, "1.1.0"), { license: "ISC" });
  await published(ada, codeOf(newKey(), "1.0.0"), { workspace_id: org });
  const first = await ada.get("/registry?limit=2");
  expect(first.body.page_info).toMatchObject({ total_count: 3, count: 2 });
  expect(first.body.data[0]).toMatchObject({ key: oldest, version: "1.1.0", license: "ISC" });
  const next = await ada.get(`/registry?limit=2&after=${first.body.page_info.end_cursor}`);
  expect(next.body.data).toMatchObject([{ key: keys[1], version: "1.0.0" }]);
  const shared = await ada.get(`/registry?org_id=${org}`);
  expect(shared.body.page_info.total_count).toBe(1);
});

test("a component that an earlier release published is a version, too", async () => {
  const ada = await signUp();
  const key = newKey();
  const saved = await ada.post("/components", { component_code: codeOf(key, "1.0.0") });
  const { id } = saved.body.data;
  await env.DB.batch([
    env.DB.prepare("UPDATE components SET owner_id = 'u_registry' WHERE id = ?").bind(id),
    env.DB.prepare(
      `INSERT INTO registry_entries (key, version, component_id, created_at, updated_at)
        VALUES (?1, '1.0.0', ?2, 1, 1)
        ON CONFLICT (key) DO UPDATE SET component_id = excluded.component_id`,
    ).bind(key, id),
  ]);
  const { body } = await ada.get(`/registry/${key}/versions`);
  expect(body.data).toMatchObject([{ component_id: id, version: "1.0.0", owner_id: "u_registry" }]);
  const again = await operator.post("/registry", { component_code: codeOf(key, "1.0.0") });
  expect(again.status).toBe(409);
  const next = await published(operator, codeOf(key, "1.1.0"));
  expect(await idOfKey(ada, key)).toBe(next.id);
});

test("the lists of Connect have the published version, and no unpublished one", async () => {
  const ada = await signUp();
  const db = connect(env.DB);
  const [key, gone] = [newKey(), newKey()];
  const { id } = await published(ada, codeOf(key, "1.0.0"));
  await ada.post("/components", { component_code: codeOf(key, "2.0.0") });
  await published(ada, codeOf(gone, "1.0.0"));
  await ada.delete(`/registry/${gone}/versions/1.0.0`);
  const filter = { registry: "private" as const };
  const owner = ada.user.id;
  const { items } = await pageOfComponents(db, owner, { filter, request: { limit: 10 } });
  expect(items.map((item) => item.id)).toEqual([id]);
  expect(await componentOfVersion(db, owner, { key, version: "1.0.0" })).toMatchObject({ id });
  expect(await componentOfVersion(db, owner, { key: gone, version: "1.0.0" })).toBeUndefined();
});
