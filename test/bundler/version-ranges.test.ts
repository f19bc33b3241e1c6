// @suites release

import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";

import { bundle } from "#bundler/bundle.ts";
import { fetchFiles } from "#bundler/remote-files.ts";
import { RemoteManifests } from "#bundler/remote-manifests.ts";
import { manifestsAbove, versionRanges } from "#bundler/version-ranges.ts";

import { evaluate } from "./evaluate.ts";

const resolverDeps = {
  registry: { url: inject("registryServer"), token: undefined, allowPrivate: false },
  store: env.CODE,
  client: "test",
};

/** The value of a component with these files, and its requests to the registry. */
async function made(files: Record<string, string>, entry = "apps/a/sources/s.mjs") {
  const bundled = await bundle({ entry, files }, resolverDeps);
  if (!bundled.ok) throw new Error(JSON.stringify(bundled.issues));
  const { value } = await evaluate(bundled.bundle);
  return { value, requests: Object.keys(bundled.bundle.lockfile.requests) };
}

const COMPONENT = `import leaf from "leaf"; export default { run: () => leaf };`;
const manifest = (dependencies: object, kind = "dependencies") =>
  JSON.stringify({ [kind]: dependencies });

const FILES: [title: string, files: Record<string, string>, value: string, request: string][] = [
  ["none", {}, "leaf 2.0.0", "leaf"],
  [
    "one beside it",
    { "apps/a/sources/package.json": manifest({ leaf: "~1.2.0" }) },
    "leaf 1.2.3",
    "leaf@~1.2.0",
  ],
  [
    "the nearest of two",
    {
      "apps/a/package.json": manifest({ leaf: "1.0.0" }),
      "package.json": manifest({ leaf: "^1.2" }),
    },
    "leaf 1.0.0",
    "leaf@1.0.0",
  ],
  [
    "the nearest that lists the package",
    {
      "apps/a/package.json": manifest({ other: "1.0.0" }),
      "package.json": manifest({ leaf: "^1.2" }),
    },
    "leaf 1.3.0",
    "leaf@^1.2",
  ],
  [
    "one below or beside its folders",
    { "apps/b/package.json": manifest({ leaf: "1.0.0" }) },
    "leaf 2.0.0",
    "leaf",
  ],
  [
    "development alone",
    { "package.json": manifest({ leaf: "1.0.0" }, "devDependencies") },
    "leaf 1.0.0",
    "leaf@1.0.0",
  ],
  [
    "a package of the workspace",
    { "package.json": manifest({ leaf: "workspace:*" }) },
    "leaf 2.0.0",
    "leaf",
  ],
  [
    "an alias",
    { "package.json": manifest({ leaf: "npm:old-branch@1.0.0" }) },
    "old-branch > leaf 1.3.0",
    "old-branch@1.0.0",
  ],
  ["an invalid manifest", { "package.json": "[1" }, "leaf 2.0.0", "leaf"],
];

test.for(FILES)(
  "uses the version of a package in the repository's manifests: %s",
  async ([, files, value, request]) => {
    const { requests, ...given } = await made({ "apps/a/sources/s.mjs": COMPONENT, ...files });
    expect(given).toEqual({ value });
    expect(requests).toEqual([request]);
  },
);

test("a version in the specifier takes precedence, and each file uses its own repository's manifest", async () => {
  const { value, requests } = await made({
    "apps/a/sources/s.mjs": `
      import pinned from "leaf@1.0.0"; import mine from "leaf"; import theirs from "../../b/b.mjs";
      export default { run: () => [pinned, mine, theirs] };`,
    "apps/b/b.mjs": `export { default } from "leaf";`,
    "apps/a/package.json": manifest({ leaf: "~1.2.0" }),
    "apps/b/package.json": manifest({ leaf: "^1.2.0" }),
  });
  expect(value).toEqual(["leaf 1.0.0", "leaf 1.2.3", "leaf 1.3.0"]);
  expect(requests.toSorted()).toEqual(["leaf@1.0.0", "leaf@^1.2.0", "leaf@~1.2.0"]);
});

test("ranges with the same versions share one set of packages", async () => {
  const hashes = await Promise.all(
    ["^1.2.0", "1.3.0"].map(async (range) => {
      const files = { "s.mjs": COMPONENT, "package.json": manifest({ leaf: range }) };
      const bundled = await bundle({ entry: "s.mjs", files }, resolverDeps);
      return bundled.ok && bundled.bundle.dependencies.hash;
    }),
  );
  expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(hashes[1]).toBe(hashes[0]);
});

test("fetches the manifests above a component at a URL", async () => {
  const url = `${inject("fileServer")}/listed/apps/a/component.mjs`;
  const fetched = await fetchFiles(url, { client: "test", allowPrivate: true });
  if (!fetched.ok) throw new Error(JSON.stringify(fetched.issues));
  expect(Object.keys(fetched.files.files).toSorted()).toEqual([
    "listed/apps/a/component.mjs",
    "listed/apps/b/b.mjs",
    "listed/apps/b/package.json",
    "listed/package.json",
  ]);
  const { value } = await made(fetched.files.files, fetched.files.entry);
  expect(value).toEqual(["leaf 1.0.0", "leaf 1.2.3"]);
});

test("looks for a manifest in every folder above a file", () => {
  expect(manifestsAbove("a/b/c.mjs")).toEqual([
    "a/b/package.json",
    "a/package.json",
    "package.json",
  ]);
  expect(manifestsAbove("c.mjs")).toEqual(["package.json"]);
  expect(versionRanges({ files: { "package.json": `{"dependencies":5}` } })("leaf", "c.mjs")).toBe(
    undefined,
  );
});

test("requests a manifest once, for imports without a version only, and never again if it is missing", () => {
  const origin = `https://${crypto.randomUUID()}.test`;
  const manifests = new RemoteManifests(origin);
  expect(manifests.wanted("a/b.mjs", ["./c.mjs", "leaf@1.0.0", "node:fs", "fs"])).toEqual([]);
  expect(manifests.wanted("a/b.mjs", ["leaf"])).toEqual(["a/package.json", "package.json"]);
  expect(manifests.wanted("a/c.mjs", ["leaf"])).toEqual([]);
  manifests.noteAbsent("a/package.json");
  expect(new RemoteManifests(origin).wanted("a/b.mjs", ["leaf"])).toEqual(["package.json"]);
});

test("requests manifests only inside the repository, and a limited number", () => {
  const manifests = new RemoteManifests("https://raw.githubusercontent.com");
  const inside = "owner/name/main";
  expect(manifests.wanted(`${inside}/${crypto.randomUUID()}/a.mjs`, ["leaf"])).toEqual([
    expect.stringMatching(/^owner\/name\/main\/[^/]+\/package\.json$/),
    `${inside}/package.json`,
  ]);
  const many = Array.from({ length: 50 }, (_, index) =>
    manifests.wanted(`${inside}/${index}/a.mjs`, ["leaf"]),
  );
  expect(many.flat()).toHaveLength(38);
});
