// @suites release

import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";

import { bundle } from "#bundler/bundle.ts";
import { buildSet } from "#bundler/dependency-set.ts";
import { plan } from "#bundler/import-plan.ts";
import { installed } from "#bundler/install.ts";
import { Omissions } from "#bundler/omissions.ts";
import type { ResolverDeps } from "#bundler/package-resolver.ts";
import { openRegistry } from "#bundler/registry.ts";
import { SetMemory } from "#bundler/set-memory.ts";

test("the same lockfile gives the same bundle without the registry", async () => {
  const code = `import it from "old-branch"; export default { run: () => it };`;
  const files = { entry: "component.mjs", files: { "component.mjs": code } };
  const first = await bundle(files, {
    registry: {
      url: inject("registryServer"),
      timeoutMs: 30_000,
      token: undefined,
      allowPrivate: false,
    },
    store: env.CODE,
    client: "test",
  });
  if (!first.ok) throw new Error(JSON.stringify(first.issues));
  const { lockfile } = first.bundle;
  expect(lockfile).toMatchObject({
    requests: { "old-branch": "node_modules/old-branch" },
    packages: {
      "node_modules/leaf": {
        name: "leaf",
        version: "1.3.0",
        integrity: expect.stringMatching(/^sha512-/) as string,
      },
      "node_modules/old-branch": { name: "old-branch", version: "1.0.0" },
    },
  });
  const offline: ResolverDeps = {
    registry: { url: "http://127.0.0.1:1", token: undefined, allowPrivate: true },
    store: env.CODE,
    client: "test",
  };
  expect(await bundle(files, offline, { lock: lockfile })).toEqual(first);

  // Even if only the tarballs are stored.
  const registry = openRegistry(offline.registry);
  const omissions = new Omissions(new Map(), lockfile);
  const source = { registry, store: env.CODE, omissions };
  const tree = installed(lockfile, source, new SetMemory());
  const bare = { specifier: "old-branch", importer: "component.mjs", kind: "import" } as const;
  const { plannedImports } = plan([bare]);
  const { modules } = await buildSet(plannedImports, tree, "test");
  expect(modules).toEqual(first.bundle.dependencies.modules);
});
