// @suites release

import { env } from "cloudflare:workers";
import { expect, inject, test, vi } from "vitest";

import { bundle } from "#bundler/bundle.ts";
import type { ResolverDeps } from "#bundler/package-resolver.ts";

import { evaluate } from "./evaluate.ts";

const PATIENCE_MS = 30_000;

function resolverDepsOf(token?: string, timeoutMs = PATIENCE_MS): ResolverDeps {
  return {
    registry: { url: inject("registryServer"), token, timeoutMs, allowPrivate: false },
    store: env.CODE,
    client: "test",
  };
}

async function valueOf(
  code: string,
  entry = "component.mjs",
  resolverDeps = resolverDepsOf(),
): Promise<unknown> {
  const made = await bundle({ entry, files: { [entry]: code } }, resolverDeps);
  if (!made.ok) throw new Error(JSON.stringify(made.issues));
  return (await evaluate(made.bundle)).value;
}

const FOUND: [title: string, code: string, value: unknown][] = [
  ["the latest version", `import it from "leaf"`, "leaf 2.0.0"],
  ["a version", `import it from "leaf@1.0.0"`, "leaf 1.0.0"],
  ["a tilde range", `import it from "leaf@~1.2"`, "leaf 1.2.3"],
  ["a caret range", `import it from "leaf@^1.2"`, "leaf 1.3.0"],
  ["a subpath of a range", `import it from "leaf@^1/index.js"`, "leaf 1.3.0"],
  ["a prerelease", `import it from "leaf@3.0.0-rc.1"`, "leaf 3.0.0-rc.1"],
  [
    "two versions side by side",
    `import one from "leaf@1"; import two from "leaf"; const it = one + ", " + two`,
    "leaf 1.3.0, leaf 2.0.0",
  ],
  [
    "two versions below two packages",
    `import one from "old-branch"; import two from "new-branch"; const it = one + ", " + two`,
    "old-branch > leaf 1.3.0, new-branch > leaf 2.0.0",
  ],
  ["an alias", `import it from "aliasing"`, "aliasing > leaf 1.2.3"],
  ["files by computed names", `import it from "assembling"`, ["function", "function", 1]],
  ["a peer that only its dependent requires", `import it from "plugin"`, "plugin > leaf 1.0.0"],
  [
    "a package that assigns to an undeclared variable",
    `import f from "sloppy-assigning"; const it = f()`,
    { of: "leaf 1.0.0" },
  ],
  [
    "a package with code that strict mode forbids",
    `import f from "sloppy-numbers"; const it = f()`,
    [1, 8],
  ],
  ["a tarball with zero bytes after it", `import it from "padded"`, "padded"],
  [
    "an exact version of a package with too many versions",
    `import it from "many-versions@1.0.0"`,
    "leaf 1.0.0",
  ],
  [
    "a package with a file that does not parse",
    `import { value, load } from "half-parsed"; const it = [value, load()]`,
    ["ok", expect.stringMatching(/^SyntaxError: half-parsed\/native\.js:1:\d+: /)],
  ],
  [
    "a package with files that do not parse, file by file",
    `import { value, load } from "half-parsed-by-file"; const it = [value, load("native"), load("typed")]`,
    [
      "ok",
      expect.stringMatching(/^SyntaxError: half-parsed-by-file\/native\.js: /),
      expect.stringMatching(/^SyntaxError: half-parsed-by-file\/typed\.js: /),
    ],
  ],
  [
    "an absent optional dependency",
    `import it from "tolerant"`,
    [
      "none",
      "MODULE_NOT_FOUND",
      "MODULE_NOT_FOUND",
      '"tolerant/build/fast.node", which "tolerant/index.js" imports, is a native add-on, which cannot run here',
    ],
  ],
  [
    "the import condition",
    `import { kind } from "dual"; import it_ from "dual"; const it = [kind, it_]`,
    ["import", "import default"],
  ],
  [
    "CommonJS as a whole, as Node does",
    `import all, { named } from "transpiled"; const it = [all.default, named]`,
    ["inner", "named"],
  ],
  [
    "CommonJS under a package of ES modules",
    `import { inner as it } from "module-over-transpiled"`,
    "inner",
  ],
  ["WebAssembly", `import it from "assembled"`, true],
  [
    "a missing native add-on, whose error names the reason",
    `import it from "built-elsewhere"`,
    '"./build/Release/x.node", which "built-elsewhere/index.js" imports, is a native add-on, which cannot run here',
  ],
  ["Node's globals only", `const it = typeof self + typeof __dirname`, "undefinedstring"],
  ["a file by its path", `import it from "by-path"`, "data"],
  ["a dynamic import", `const it = await import("leaf").then((all) => all.default)`, "leaf 2.0.0"],
];

test.for(FOUND)("bundles code with %s", async ([, code, value]) => {
  expect(await valueOf(`${code}; export default { run: () => it };`)).toEqual(value);
});

test("require uses the require condition, and returns ES modules as their namespace", async () => {
  const code = `const { kind } = require("dual"); const seven = require("shared-default").default;
    module.exports = { run: () => [kind, seven()] };`;
  expect(await valueOf(code, "component.js")).toEqual(["require", 7]);
});

test.for([
  ["component.mjs", "inner"],
  ["component.js", "inner"],
  ["component.ts", undefined],
] as const)(
  "%s gets all of a CommonJS module as default where Node does",
  async ([entry, value]) => {
    const code = `import all from "transpiled"; export default { run: () => all.default };`;
    expect(await valueOf(code, entry)).toBe(value);
  },
);

test.for(["component.ts", "component.mjs"])(
  "%s gets all of a CommonJS module as default if the module has no default",
  async (entry) => {
    const code = `import all, { named } from "transpiled-without-default"; import { named as again } from "transpiled-without-default";
      export default { run: () => [all.named, named, again] };`;
    expect(await valueOf(code, entry)).toEqual(["named", "named", "named"]);
  },
);

test.for([
  ["no-such-thing", undefined, /no package "no-such-thing", which "component.mjs" imports/],
  ["leaf@9", undefined, /no version "9" of the package "leaf", which "component.mjs" imports/],
  ["leaf/gone.js", undefined, /"leaf\/gone.js" cannot be resolved/],
  ["undemanding", undefined, /no package "not-there", which "undemanding@1.0.0" imports/],
  [
    "many-versions",
    undefined,
    /The registry's list of the versions of "many-versions" is too large, with more than 16\.0 MB: import an exact version/,
  ],
  ["huge", undefined, /"huge@1.0.0" is too large: 200.0 MB/],
  ["native", undefined, /"native" is a native add-on/],
  [
    "for-one-machine",
    undefined,
    /"for-one-machine@1.0.0", which "component.mjs" imports, cannot run here/,
  ],
  ["from-git", undefined, /"leaf" comes from "github:acme\/leaf".*which "from-git@1.0.0" imports/],
  ["syntactic", undefined, /^syntactic\/index.js:1:18: Expected identifier but found end of file/],
  [
    "importing-nothing",
    undefined,
    /no file ".\/nothing.js", which "importing-nothing\/index.js" imports/,
  ],
  ["tampered", true, /"tampered@1.0.0" does not match its integrity/],
  ["unavailable", true, /responded with 500 to the request for "unavailable@1.0.0"/],
  ["no-shasum", true, /no integrity by which "no-shasum@1.0.0" can be checked/],
  ["odd-shasum", true, /no integrity by which "odd-shasum@1.0.0" can be checked/],
  ["no-integrity", true, /no integrity by which "no-integrity@1.0.0" can be checked/],
  ["long-integrity", true, /no integrity by which "long-integrity@1.0.0" can be checked/],
  ["no-hash", true, /no integrity by which "no-hash@1.0.0" can be checked/],
  ["garbage", true, /"garbage@1.0.0" does not match its integrity/],
  ["erring", true, /responded with 500 to the request for "erring", which "component.mjs" imports/],
  ["no-json", true, /invalid package metadata/],
  ["hanging", true, /did not respond to the request for "hanging", which "component.mjs" imports/],
  ["private", true, /responded with 401 to the request for "private"/],
] as const)("rejects %s at its import", async ([specifier, upstream, text]) => {
  const code = `\nimport it from "${specifier}"; export default it;`;
  const made = await bundle(
    { entry: "component.mjs", files: { "component.mjs": code } },
    resolverDepsOf(undefined, specifier === "hanging" ? 500 : PATIENCE_MS),
  );
  expect(made).toMatchObject({
    ok: false,
    issues: [{ file: "component.mjs", line: 2, column: 15 }],
  });
  expect(made.ok ? undefined : made.upstream).toBe(upstream);
  expect(made.ok || made.issues[0]?.text).toMatch(text);
});

test("rejects a faulty package at its own import, not at the first", async () => {
  const code = `import leaf from "leaf";\nimport it from "tampered"; export default [leaf, it];`;
  const made = await bundle(
    { entry: "component.mjs", files: { "component.mjs": code } },
    resolverDepsOf(),
  );
  const text = expect.stringMatching(/integrity \(it is imported by "component.mjs"\)$/);
  expect(made).toMatchObject({ ok: false, issues: [{ line: 2, text }] });
});

test("a retry succeeds after a temporary fault", async () => {
  const code = `import it from "flaky"; export default { run: () => it };`;
  await expect(valueOf(code)).rejects.toThrow(/responded with 503/);
  expect(await valueOf(code)).toBe("leaf 2.0.0");
});

test("entries of the zone's cache have no effect", async () => {
  const registry = inject("registryServer");
  const packument = await (await fetch(`${registry}/leaf`)).text();
  const forged = packument.replaceAll("leaf-1.2.3.tgz", "leaf-1.3.0.tgz");
  const headers = { "cache-control": "max-age=300" };
  await caches.default.put(`${registry}/leaf`, new Response(forged, { headers }));
  const code = `import it from "leaf@1.2.3 - 1.2.3"; export default { run: () => it };`;
  expect(await valueOf(code)).toBe("leaf 1.2.3");
});

test("a deploy with recently resolved packages sends no request", async () => {
  const code = (text: string) =>
    `import it from "leaf@~1.2.0"; export default { run: () => it + "${text}" };`;
  expect(await valueOf(code("!"))).toBe("leaf 1.2.3!");
  const fetched = vi.spyOn(globalThis, "fetch");
  try {
    expect(await valueOf(code("?"))).toBe("leaf 1.2.3?");
    expect(fetched).not.toHaveBeenCalled();
  } finally {
    fetched.mockRestore();
  }
});

test("sends its token to a private registry", async () => {
  const code = `import it from "private"; export default { run: () => it };`;
  expect(await valueOf(code, "component.mjs", resolverDepsOf("secret"))).toBe("leaf 2.0.0");
});
