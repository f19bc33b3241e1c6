import { expect, test } from "vitest";

import { plan } from "#bundler/import-plan.ts";
import { candidates, joined } from "#bundler/paths.ts";
import { parseDependency, parseSpecifier } from "#bundler/specifiers.ts";

test.for([
  ["pkg", { name: "pkg", range: undefined, subpath: "" }],
  ["pkg@1.2.3", { name: "pkg", range: "1.2.3", subpath: "" }],
  ["pkg@~1.2", { name: "pkg", range: "~1.2", subpath: "" }],
  ["pkg@^1.2/sub/path.js", { name: "pkg", range: "^1.2", subpath: "/sub/path.js" }],
  ["@scope/pkg", { name: "@scope/pkg", range: undefined, subpath: "" }],
  ["@scope/pkg@^1/sub", { name: "@scope/pkg", range: "^1", subpath: "/sub" }],
  ["pkg/sub@2.js", { name: "pkg", range: undefined, subpath: "/sub@2.js" }],
  ["lodash.get", { name: "lodash.get", range: undefined, subpath: "" }],
  ["@scope", undefined],
  ["@/x", undefined],
  [".hidden", undefined],
  ["a b", undefined],
  ["", undefined],
] as const)("the specifier %s requests %o", ([specifier, request]) => {
  expect(parseSpecifier(specifier)).toEqual(request);
});

test.for([
  ["^1.0.0", { name: "pkg", range: "^1.0.0" }],
  ["", { name: "pkg", range: "*" }],
  ["latest", { name: "pkg", range: "latest" }],
  ["1 || >=2 <3", { name: "pkg", range: "1 || >=2 <3" }],
  ["npm:other@^2", { name: "other", range: "^2" }],
  ["npm:@scope/other@~1.0", { name: "@scope/other", range: "~1.0" }],
  ["npm:other", { name: "other", range: "*" }],
  ["github:acme/pkg", undefined],
  ["acme/pkg", undefined],
  ["git+https://example.com/pkg.git", undefined],
  ["file:../pkg", undefined],
  ["https://example.com/pkg.tgz", undefined],
] as const)("a dependency on %s requests %o", ([value, dependency]) => {
  expect(parseDependency("pkg", value)).toEqual(dependency);
});

test("a second range of one package gets its own folder", () => {
  const bare = (specifier: string) => ({ specifier, importer: "a.mjs", kind: "import" }) as const;
  const { roots, plannedImports } = plan([
    bare("pkg@1/sub"),
    bare("pkg"),
    bare("other@^2"),
    bare("pkg"),
  ]);
  expect(roots.map(({ folder, range }) => [folder, range])).toEqual([
    ["other", "^2"],
    ["pkg", "latest"],
    ["pkg@1", "1"],
  ]);
  expect(plannedImports.map(({ request }) => request)).toEqual([
    "pkg@1/sub",
    "pkg",
    "other",
    "pkg",
  ]);
});

test.for([
  ["a/b.mjs", "./c.mjs", "a/c.mjs"],
  ["a/b.mjs", "../c.mjs", "c.mjs"],
  ["a/b.mjs", "../../../c.mjs", "c.mjs"],
  ["a/b.mjs", "/c.mjs", "c.mjs"],
  ["a/b.mjs", ".", "a"],
  ["a/b.mjs", "./", "a"],
  ["b.mjs", "./x/./y/../z", "x/z"],
] as const)("from %s, %s is %s", ([importer, specifier, path]) => {
  expect(joined(importer, specifier)).toBe(path);
});

test("an import may resolve to a file, a file with an extension, or a folder's index", () => {
  expect(candidates("a/b").slice(0, 5)).toEqual(["a/b", "a/b.mjs", "a/b.js", "a/b.cjs", "a/b.ts"]);
  expect(candidates("a/b")).toContain("a/b/index.mjs");
  expect(candidates("a/b.js").slice(0, 2)).toEqual(["a/b.js", "a/b.ts"]);
});
