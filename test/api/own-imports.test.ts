// @suites release

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { sweepImports } from "#services/registry-imports/run.ts";
import { openContext } from "#worker/bindings.ts";
import { adminDocument } from "#worker/http/admin/router.ts";
import { v1Document } from "#worker/http/v1/router.ts";

import { archiveOf } from "../support/archive.ts";
import { operator, signUp, workspaceOf } from "../support/client.ts";
import { platformIn } from "../support/sweeping.ts";

type Caller = Awaited<ReturnType<typeof signUp>>;

function collection(mark: string, version = "1.0.0"): Record<string, string> {
  const action = (name: string) => `export default {
    key: "${mark}-${name}", name: "${name}", version: "${version}", type: "action",
    run() { return "${name} ${version}"; },
  };`;
  return {
    "all-main/package.json": `{"name": "all", "private": true}`,
    "all-main/LICENSE": "Apache License\nVersion 2.0, January 2004",
    "all-main/components/shop/actions/greet/greet.mjs": action("greet"),
    "all-main/components/shop/package.json": `{"license": "MIT"}`,
    "all-main/components/bank/actions/pay/pay.mjs": action("pay"),
    "all-main/components/bank/LICENSE.txt": "Only on Sundays.",
    "all-main/components/mail/actions/send/send.mjs": action("send"),
  };
}

/** Import files as a user. Returns the import when it has ended. */
async function imported(by: Caller, files: Record<string, string>, more: object = {}) {
  const { body } = await by.post("/registry/imports", more);
  const { id } = body.data;
  const archive = await archiveOf(files);
  const length = { "content-length": String(archive.length) };
  const uploaded = await by.put(`/registry/imports/${id}/archive`, archive, length);
  expect(uploaded).toMatchObject({ status: 200 });
  const state = async () => (await by.get(`/registry/imports/${id}`)).body.data;
  await expect
    .poll(async () => (await state()).state, { timeout: 30_000, interval: 100 })
    .toBe("ended");
  return state();
}

async function report(by: Caller, id: string) {
  const { body } = await by.get(`/registry/imports/${id}/components`);
  return body.data.map((item: Record<string, unknown>) => [
    item["key"],
    item["state"],
    item["license"],
  ]);
}

test("imports a collection into the registry of a workspace, with its licences", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const org = await workspaceOf(ada, bob);
  const mark = `own${crypto.randomUUID().slice(0, 8)}`;
  const ended = await imported(ada, collection(mark), { org_id: org });
  expect(ended).toMatchObject({ owner_id: org, total: 3, counts: { published: 3 } });
  const expected = (state: string) => [
    [`${mark}-pay`, state, "SEE LICENSE IN components/bank/LICENSE.txt"],
    [`${mark}-send`, state, "Apache-2.0"],
    [`${mark}-greet`, state, "MIT"],
  ];
  expect(await report(bob, ended.id)).toEqual(expect.arrayContaining(expected("published")));
  const run = await bob.post("/actions/run", { key: `${mark}-pay`, configured_props: {} });
  expect(run.body.data).toMatchObject({ ret: "pay 1.0.0" });
  const { body } = await bob.get(`/components/${mark}-greet`);
  expect(body.data.license).toBe("MIT");
  // Times are in seconds: a version published in the second of an import may be from its earlier attempt.
  await env.DB.prepare("UPDATE components SET created_at = created_at - 60 WHERE owner_id = ?")
    .bind(org)
    .run();
  const again = await imported(bob, collection(mark), { org_id: org });
  expect(again).toMatchObject({ counts: { unchanged: 3 } });
  expect(await report(bob, again.id)).toEqual(expect.arrayContaining(expected("unchanged")));

  expect((await bob.get(`/registry/imports?org_id=${org}`)).body.page_info.total_count).toBe(2);
  expect((await bob.get("/registry/imports")).body.page_info.total_count).toBe(0);
  const strangers = [
    await eve.get(`/registry/imports/${ended.id}`),
    await eve.get(`/registry/imports/${ended.id}/components`),
    await eve.put(`/registry/imports/${ended.id}/archive`, "x"),
    await eve.get(`/registry/imports?org_id=${org}`),
    await eve.post("/registry/imports", { org_id: org }),
    await eve.get(`/components/${mark}-greet`),
  ];
  expect(strangers.map(({ status }) => status)).toEqual(strangers.map(() => 404));
});

test("an import rejects components with a license that is not on the operator's list", async () => {
  const ada = await signUp();
  const mark = `own${crypto.randomUUID().slice(0, 8)}`;
  const before = env.REGISTRY_LICENSES;
  Object.assign(env, { REGISTRY_LICENSES: "MIT" });
  try {
    const ended = await imported(ada, collection(mark));
    expect(ended).toMatchObject({ counts: { published: 1, refused: 2, failed: 0 } });
    const { body } = await ada.get(`/registry/imports/${ended.id}/components?state=refused`);
    expect(body.data.map(({ message }: { message: string }) => message).join()).toContain(
      `"Apache-2.0"`,
    );
  } finally {
    Object.assign(env, { REGISTRY_LICENSES: before });
  }
});

test("a user has at most five imports in progress", async () => {
  const ada = await signUp();
  const answers = await Promise.all(
    Array.from({ length: 7 }, () => ada.post("/registry/imports", {})),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(5);
  expect(statuses.filter((status) => status === 409)).toHaveLength(2);
});

test("an archive is uploaded by a documented operation with the common parameters", async () => {
  const ada = await signUp();
  const { id } = (await ada.post("/registry/imports", {})).body.data;
  const archive = await archiveOf(collection(`own${crypto.randomUUID().slice(0, 8)}`));
  const length = { "content-length": String(archive.length) };
  const sent = await ada.put(`/registry/imports/${id}/archive?include=id`, archive, length);
  expect(sent).toMatchObject({ status: 200, body: { data: { id } } });
  expect(Object.keys(sent.body.data)).toEqual(["id"]);
  const path = "/registry/imports/{id}/archive";
  for (const document of [v1Document(), adminDocument()])
    expect(document.paths?.[path]?.put).toMatchObject({
      requestBody: { required: true, content: { "application/gzip": {} } },
      responses: { 408: {}, 409: {}, 413: {} },
    });
});

test("an import waits while its owner's quota is used up, and resumes when it is raised", async () => {
  const ada = await signUp();
  const quotas = `/users/${ada.user.id}/quotas`;
  await operator.put(quotas, { daily_credits_quota: 1 });
  const day = new Date().toISOString().slice(0, 10);
  await env.DB.prepare(
    "INSERT INTO owner_usage (owner_id, day, invocations, compute_ms, credits) VALUES (?, ?, 1, 1, 1)",
  )
    .bind(ada.user.id, day)
    .run();
  const { id } = (await ada.post("/registry/imports", {})).body.data;
  const archive = await archiveOf(collection(`quota${crypto.randomUUID().slice(0, 8)}`));
  const length = { "content-length": String(archive.length) };
  await ada.put(`/registry/imports/${id}/archive`, archive, length);
  const state = async () => (await ada.get(`/registry/imports/${id}`)).body.data;
  await expect.poll(async () => (await state()).counts.waiting, { timeout: 20_000 }).toBe(3);
  await operator.put(quotas, { daily_credits_quota: 1000 });
  await expect
    .poll(state, { timeout: 40_000, interval: 200 })
    .toMatchObject({ state: "ended", counts: { published: 3, failed: 0 } });
});

test("an import ends when its user leaves the workspace", async () => {
  const [ada, bob] = [await signUp(), await signUp()];
  const org = await workspaceOf(ada, bob);
  const mark = `left${crypto.randomUUID().slice(0, 8)}`;
  const { body } = await bob.post("/registry/imports", { org_id: org });
  const { id } = body.data;
  const platform = openContext(env);
  await platform.imports.put(id, new Blob([await archiveOf(collection(mark))]).stream());
  await operator.delete(`/workspaces/${org}/members/${bob.user.id}`);
  await env.DB.prepare("UPDATE registry_imports SET state = 'running', starts = 1 WHERE id = ?")
    .bind(id)
    .run();
  await sweepImports(platformIn(60 * 60));
  const state = async () => (await ada.get(`/registry/imports/${id}`)).body.data;
  await expect
    .poll(state, { timeout: 30_000, interval: 100 })
    .toMatchObject({ state: "failed", error: expect.stringContaining("member") });
  expect((await ada.get(`/components/${mark}-greet`)).status).toBe(404);
});

test("of archives that are uploaded at once, one is imported and none is left", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/registry/imports", {});
  const { id } = body.data;
  const archive = await archiveOf(collection(`twice${crypto.randomUUID().slice(0, 8)}`));
  const length = { "content-length": String(archive.length) };
  const send = () => ada.put(`/registry/imports/${id}/archive`, archive, length);
  const sent = await Promise.all([send(), send(), send()]);
  expect(sent.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  const state = async () => (await ada.get(`/registry/imports/${id}`)).body.data.state;
  await expect.poll(state, { timeout: 30_000, interval: 100 }).toBe("ended");
  await expect
    .poll(async () => (await env.CODE.list({ prefix: `imports/${id}/` })).objects)
    .toEqual([]);
});
