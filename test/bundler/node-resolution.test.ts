import { expect, inject, test } from "vitest";

import { isEsm, resolveIn, type FileTree } from "#bundler/node-resolution.ts";

import { TREES } from "../fixtures/resolution/trees.ts";

const CASES = TREES.flatMap(({ title, files, queries }) =>
  queries.flatMap(({ importer, specifiers }) =>
    specifiers.flatMap((specifier) =>
      (["import", "require"] as const).map((kind) => ({ title, files, importer, specifier, kind })),
    ),
  ),
);

test.for(CASES)(
  "$title: $kind of $specifier from $importer resolves as in Node",
  ({ title, files, importer, specifier, kind }) => {
    const answers = inject("nodeAnswers");
    const answer = answers[`${title}|${importer}|${specifier}|${kind}`] ?? null;
    const resolved = resolveIn(treeOf(files), specifier, { importer, kind });
    const found =
      "path" in resolved ? resolved.path : "builtin" in resolved ? resolved.builtin : null;
    // If Node rejects an ES import because of its extension, the CommonJS resolution applies.
    const lenient = answer === null && kind === "import" && isUnmapped(resolved);
    const expected = lenient ? answers[`${title}|${importer}|${specifier}|require`] : answer;
    expect(found).toBe(expected ?? null);
  },
);

test("an import map may resolve to a Node built-in, for require too", () => {
  const importer = "node_modules/host/index.js";
  for (const kind of ["import", "require"] as const) {
    const resolved = resolveIn(treeOf(TREES[2]?.files ?? {}), "#fs", { importer, kind });
    expect(resolved).toEqual({ builtin: "node:fs" });
  }
});

test("a package that compiles code from text at load time resolves to its browser build", () => {
  const folder = "node_modules/depd";
  const files = (name: string) => ({
    [`${folder}/package.json`]: JSON.stringify({ name, browser: "lib/browser/index.js" }),
    [`${folder}/index.js`]: "",
    [`${folder}/lib/browser/index.js`]: "",
  });
  const search = { importer: "node_modules/body-parser/index.js", kind: "require" } as const;
  expect(resolveIn(treeOf(files("depd")), "depd", search)).toEqual({
    path: `${folder}/lib/browser/index.js`,
  });
  expect(resolveIn(treeOf(files("other")), "depd", search)).toEqual({ path: `${folder}/index.js` });
});

test("a file is an ES module by its extension or its nearest manifest", () => {
  const tree = treeOf(TREES[2]?.files ?? {});
  expect(isEsm(tree, "node_modules/host/index.js")).toBe(true);
  expect(isEsm(tree, "node_modules/host/dist/deep.js")).toBe(false);
  expect(isEsm(tree, "node_modules/host/node_modules/dep/index.js")).toBe(false);
  expect(isEsm(tree, "node_modules/host/r.cjs")).toBe(false);
  expect(isEsm(tree, "node_modules/host/i.mjs")).toBe(true);
});

function isUnmapped(resolved: object): boolean {
  return "path" in resolved;
}

function treeOf(files: Record<string, string>): FileTree {
  const folders = new Set(
    Object.keys(files).flatMap((path) =>
      path.split("/").map((_, index, all) => all.slice(0, index).join("/")),
    ),
  );
  return {
    isFile: (path) => Object.hasOwn(files, path),
    isFolder: (path) => folders.has(path),
    manifest: (folder) => {
      const text = files[folder === "" ? "package.json" : `${folder}/package.json`];
      return text === undefined ? undefined : (JSON.parse(text) as object);
    },
  };
}
