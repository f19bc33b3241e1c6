// @suites release

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { sweepImports } from "#services/registry-imports/run.ts";
import { openContext } from "#worker/bindings.ts";

import { archiveOf } from "../support/archive.ts";
import { operator, signUp } from "../support/client.ts";
import { collection, ended, imported, upload } from "../support/imports.ts";
import { platformIn } from "../support/sweeping.ts";

test("imports a collection, and counts its failed components", async () => {
  const mark = crypto.randomUUID().slice(0, 8);
  expect(await imported(collection(mark))).toMatchObject({
    state: "ended",
    error: null,
    total: 4,
    counts: { published: 2, failed: 2, waiting: 0 },
  });
  const ada = await signUp();
  const found = await ada.get(`/components/registry/shop${mark}-new-order`);
  expect(found.body.data).toMatchObject({ name: "New Order", version: "1.0.0" });
  const run = await ada.post("/actions/run", {
    key: `shop${mark}-greet`,
    configured_props: { who: "Ada" },
  });
  expect(run.body.data).toMatchObject({ ret: "Hello Ada, New Order" });
});

test("an import skips unchanged components, and requires a higher version for changed ones", async () => {
  const mark = crypto.randomUUID().slice(0, 8);
  expect(await imported(collection(mark))).toMatchObject({ state: "ended" });
  expect(await imported(collection(mark))).toMatchObject({
    state: "ended",
    counts: { published: 0, unchanged: 2, refused: 0, failed: 2 },
  });

  const files = collection(mark);
  files["collection-main/components/shop/common/names.mjs"] = `export const name = "Order";`;
  expect(await imported(files)).toMatchObject({
    state: "ended",
    counts: { published: 0, refused: 2, failed: 2 },
  });

  const risen = collection(mark, "1.0.1");
  expect(await imported(risen)).toMatchObject({ state: "ended", counts: { published: 2 } });
});

test("a component that was published by itself is unchanged in an import", async () => {
  const mark = crypto.randomUUID().slice(0, 8);
  const files = collection(mark);
  const folder = "collection-main/components/shop";
  const paths = ["actions/greet/greet.mjs", "common/names.mjs"];
  const sent = Object.fromEntries(paths.map((path) => [path, files[`${folder}/${path}`]]));
  const body = { component_files: sent, entry: "actions/greet/greet.mjs" };
  expect((await operator.post("/registry", body)).status).toBe(200);
  expect(await imported(files)).toMatchObject({
    counts: { published: 1, unchanged: 1, refused: 0, failed: 2 },
  });
});

test("lists failed and rejected components with the reason, page by page", async () => {
  const mark = crypto.randomUUID().slice(0, 8);
  const { body } = await operator.post("/registry/imports", {});
  const { id } = body.data;
  await upload(id, await archiveOf(collection(mark)));
  expect(await ended(id)).toMatchObject({ state: "ended" });
  const components = async (query: string) =>
    (await operator.get(`/registry/imports/${id}/components?${query}`)).body.data;
  expect(await components("state=failed")).toMatchObject(
    [
      { path: "components/shop/actions/broken/broken.mjs", message: /broken\.mjs:2:\d+: / },
      {
        path: "components/shop/actions/lost/lost.mjs",
        message: /There is no file "\.\.\/\.\.\/gone\.mjs"/,
      },
    ].map(({ path, message }) => ({ path, message: expect.stringMatching(message) })),
  );
  const [first] = await components("limit=1");
  expect(first).toMatchObject({ number: 0 });
  expect(await components("limit=1&after=0")).toMatchObject([{ number: 1 }]);
  expect(await components("limit=10&after=3")).toEqual([]);
  const ada = await signUp();
  expect(await ada.get(`/registry/imports/${id}`)).toMatchObject({ status: 404 });
});

test("packages are installed on a component's first use", async () => {
  const mark = crypto.randomUUID().slice(0, 8);
  expect(await imported(collection(mark))).toMatchObject({ state: "ended" });
  const ada = await signUp();
  // Its app imports a package that no registry has: the first use reports that.
  const refused = await ada.post("/sources", { key: `shop${mark}-new-order` });
  expect(refused).toMatchObject({ status: 422 });
  expect(refused.body.error).toContain(`no-such-client-${mark}`);
});

test("a definition with values from a package is read again when it is built", async () => {
  const mark = crypto.randomUUID().slice(0, 8);
  const files = {
    "components/shop/actions/one/one.mjs": `
      import { NIL } from "uuid@^9";
      export default {
        key: "shop${mark}-one", name: "One", version: "1.0.0", type: "action",
        props: { id: { type: "string", default: NIL + "" } },
        run() { return this.id; },
      };`,
  };
  expect(await imported(files)).toMatchObject({ state: "ended", counts: { published: 1 } });
  const ada = await signUp();
  const run = () => ada.post("/actions/run", { key: `shop${mark}-one`, configured_props: {} });
  const NIL = "00000000-0000-0000-0000-000000000000";
  const runs = await Promise.all([run(), run()]);
  expect(runs.map(({ body }) => body.data.ret)).toEqual([NIL, NIL]);
  const { body } = await ada.get(`/components/registry/shop${mark}-one`);
  expect(body.data.configurable_props).toMatchObject([{ name: "id", default: NIL }]);
});

test("rejects an archive without components as a whole", async () => {
  const broken = await archiveOf(collection("x"));
  const refusals: [Uint8Array<ArrayBuffer>, RegExp][] = [
    [
      new Uint8Array(new TextEncoder().encode("No tarball. ".repeat(100))),
      /not a readable tarball|no component/,
    ],
    [broken.slice(0, broken.length / 2), /not a readable tarball/],
    [await archiveOf({ "README.md": "Nothing here" }), /no component/],
    [await archiveOf({ "components/shop/actions/common/common.mjs": "1" }), /no component/],
  ];
  for (const [archive, reason] of refusals) {
    const { body } = await operator.post("/registry/imports", {});
    await upload(body.data.id, archive);
    expect(await ended(body.data.id)).toMatchObject({
      state: "failed",
      total: 0,
      error: expect.stringMatching(reason),
    });
  }
});

test("accepts an archive once, and only with a known, limited length", async () => {
  const { body } = await operator.post("/registry/imports", {});
  const path = `/registry/imports/${body.data.id}/archive`;
  expect(await operator.put(path)).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("body") },
  });
  const archive = await archiveOf(collection(crypto.randomUUID().slice(0, 8)));
  const large = { "content-length": String(10 ** 9) };
  expect(await operator.put(path, archive, large)).toMatchObject({ status: 413 });
  await upload(body.data.id, archive);
  const second = await operator.put(path, archive, { "content-length": String(archive.length) });
  expect(second).toMatchObject({ status: 409 });
  expect(await operator.put("/registry/imports/ri_none/archive", archive)).toMatchObject({
    status: 404,
  });
});

test("rejects an archive's URL unless it is http or https", async () => {
  for (const archive_url of ["file:///etc/passwd", "nowhere", "ftp://example.com/a.tgz"]) {
    const refused = await operator.post("/registry/imports", { archive_url });
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.body.error).toContain("archive_url");
  }
});

test("the sweep resumes an import without a workflow instance", async () => {
  const mark = crypto.randomUUID().slice(0, 8);
  const { body } = await operator.post("/registry/imports", {});
  const { id } = body.data;
  const platform = openContext(env);
  await platform.imports.put(id, new Blob([await archiveOf(collection(mark))]).stream());
  // As after a crash between the update of its row and the start of the workflow.
  await env.DB.prepare("UPDATE registry_imports SET state = 'running', starts = 1 WHERE id = ?")
    .bind(id)
    .run();
  expect((await operator.get(`/registry/imports/${id}`)).body.data.state).toBe("running");
  await sweepImports(platformIn(60 * 60));
  expect(await ended(id)).toMatchObject({ state: "ended", counts: { published: 2 } });
  expect(await env.CODE.list({ prefix: `imports/${id}/` })).toMatchObject({ objects: [] });
});

test("the engine's instances of ended imports are deleted", async () => {
  const good = await imported(collection(crypto.randomUUID().slice(0, 8)));
  const bad = await imported({ "README.md": "Nothing here" });
  expect([good.state, bad.state]).toEqual(["ended", "failed"]);
  const kept = (id: string) => env.IMPORTS.get(`${id}-1`).then(() => true, reasonOf);
  await sweepImports(platformIn(0));
  expect(await Promise.all([kept(good.id), kept(bad.id)])).toEqual([true, true]);
  await sweepImports(platformIn(2 * 60));
  const gone = expect.stringContaining("not_found");
  expect(await Promise.all([kept(good.id), kept(bad.id)])).toEqual([gone, gone]);
  // No import is waiting for its cleanup, and the API still shows it.
  const left = "SELECT id FROM registry_imports WHERE cleared_at IS NULL AND id IN (?, ?)";
  expect(await env.DB.prepare(left).bind(good.id, bad.id).all()).toMatchObject({ results: [] });
  expect((await operator.get(`/registry/imports/${good.id}`)).body.data.state).toBe("ended");
});

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
