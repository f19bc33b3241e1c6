// @suites loader

import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";

import type { BundlerCalls } from "#bundler/contract.ts";

import { archiveOf } from "../support/archive.ts";

/**
 * During a deployment the platform of the last release calls the new bundler: these calls, and the fields of their
 * results that it reads. A change here needs a bundler that still answers the former calls for one release.
 */
const bundler: BundlerCalls = env.BUNDLER;

test("the platform of the last release bundles", async () => {
  const files = { "component.js": `export default { name: "One", version: "1", run() {} };` };
  const request = { client: "u_1", files: { entry: "component.js", files } };
  const made = await bundler.bundle(request);
  expect(made).toMatchObject({
    ok: true,
    bundle: {
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      code: expect.stringContaining("One"),
      map: expect.stringContaining("component.js"),
      lockfile: { lockfileVersion: 1, requests: {}, packages: {} },
      dependencies: { hash: "", modules: {} },
      mayConnect: false,
      namesRespond: false,
    },
  });
  const lock = made.ok ? made.bundle.lockfile : undefined;
  expect(await bundler.bundle({ ...request, lock, isForDefinition: true })).toMatchObject({
    ok: true,
  });
  const broken = { entry: "component.js", files: { "component.js": "export default {" } };
  expect(await bundler.bundle({ client: "u_1", files: broken })).toMatchObject({
    ok: false,
    issues: [
      { file: "component.js", line: 1, column: expect.any(Number), text: expect.any(String) },
    ],
  });
});

test("the platform of the last release reads files and archives, and probes", async () => {
  expect(await bundler.fetchFiles("u_1", `${inject("fileServer")}/a/circular.mjs`)).toMatchObject({
    ok: true,
    files: { entry: expect.any(String), files: expect.any(Object) },
  });
  const id = crypto.randomUUID();
  const path = "components/shop/actions/go/go.mjs";
  const code = `export default { key: "go", name: "Go", version: "1.0.0", type: "action", run() {} };`;
  await env.CODE.put(`imports/${id}/archive`, await archiveOf({ [path]: code }));
  expect(await bundler.unpack(id)).toEqual({ ok: true, components: [path] });
  expect(await bundler.archivedFiles(id, [path])).toEqual([
    { ok: true, entry: path, files: { [path]: code } },
  ]);
  expect(await bundler.unpack(crypto.randomUUID())).toEqual({
    ok: false,
    reason: "The uploaded archive was deleted",
    upstream: false,
  });
  await bundler.probe();
});
