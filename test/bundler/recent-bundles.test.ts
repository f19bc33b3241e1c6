import { expect, test } from "vitest";

import type { Bundled } from "#bundler/contract.ts";
import { RecentBundles } from "#bundler/recent-bundles.ts";
import { EMPTY_LOCKFILE, type Lockfile } from "#domain/lockfile.ts";

const filesOf = (code: string) => ({ entry: "a.js", files: { "a.js": code } });

const LOCKED: Lockfile = {
  lockfileVersion: 1,
  requests: { leaf: "leaf" },
  packages: { leaf: { name: "leaf", version: "1.0.0", integrity: "sha512-x" } },
};

const builtAs = (hash: string, lockfile = EMPTY_LOCKFILE, code = "export {}"): Bundled => ({
  ok: true,
  bundle: { hash, code, map: "{}", lockfile, dependencies: { hash: "", modules: {} } },
});

/** Requests bundles, and counts the builds. */
function counted(result: (n: number) => Bundled) {
  const recent = new RecentBundles();
  let builds = 0;
  const bundle = async (code: string, terms: object = {}) => {
    await recent.of({ files: filesOf(code), ...terms }, async () => result((builds += 1)));
    return builds;
  };
  return bundle;
}

test("the same request is built once", async () => {
  const bundle = counted((n) => builtAs(String(n)));
  expect(await bundle("1")).toBe(1);
  expect(await bundle("1")).toBe(1);
  expect(await bundle("2")).toBe(2);
  expect(await bundle("1", { isForDefinition: true })).toBe(3);
  expect(await bundle("1", { lock: LOCKED })).toBe(4);
  expect(await bundle("1")).toBe(4);
});

test.for<[string, Bundled]>([
  ["code with packages", builtAs("1", LOCKED)],
  ["code with an error", { ok: false, issues: [{ file: "a.js", line: 1, column: 0, text: "no" }] }],
  ["a client with too many builds", { ok: false, issues: [], overloaded: true }],
])("%s is built again", async ([, result]) => {
  const bundle = counted(() => result);
  expect([await bundle("1"), await bundle("1")]).toEqual([1, 2]);
});

test("keeps the last used bundles, within the memory of the isolate", async () => {
  const bundle = counted((n) => builtAs(String(n), EMPTY_LOCKFILE, "x".repeat(200_000)));
  for (const code of ["1", "2"]) await bundle(code);
  expect(await bundle("1")).toBe(2);
  expect(await bundle("3")).toBe(3);
  expect(await bundle("1")).toBe(3);
  expect(await bundle("2")).toBe(4);
});
