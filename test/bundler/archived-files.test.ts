import { expect, test } from "vitest";

import { ArchivedFiles } from "#bundler/archived-files.ts";

const ENTRY = "components/shop/actions/do/do.mjs";

/** Files of an archive, each in its own pack, and the number of read packs. */
function archived(files: Record<string, string>) {
  const paths = Object.keys(files);
  const index = {
    files: Object.fromEntries(paths.map((path, pack) => [path, pack])),
    components: [ENTRY],
  };
  let reads = 0;
  const archive = new ArchivedFiles(index, async (pack) => {
    reads += 1;
    const path = paths[pack] ?? "";
    return { [path]: files[path] ?? "" };
  });
  return { closure: () => archive.closure(ENTRY), reads: () => reads };
}

function importing(count: number, pathOf: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => `import "${pathOf(n)}";`).join("\n");
}

test("reads no pack for missing files", async () => {
  const others = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [`components/shop/other-${n}.mjs`, ""]),
  );
  const { closure, reads } = archived({
    [ENTRY]: importing(1000, (n) => `./missing-${n}`),
    ...others,
    "components/shop/package.json": "{}",
    LICENSE: "Mine",
  });
  const files = { [ENTRY]: expect.any(String), "components/shop/package.json": "{}" };
  expect(await closure()).toEqual({ ok: true, entry: ENTRY, files: { ...files, LICENSE: "Mine" } });
  expect(reads()).toBe(3);
});

test.for([
  {
    what: "files in too many packs",
    files: {
      [ENTRY]: importing(40, (n) => `./part-${n}.mjs`),
      ...Object.fromEntries(
        Array.from({ length: 40 }, (_, n) => [`components/shop/actions/do/part-${n}.mjs`, ""]),
      ),
    },
    reason: /too far apart/,
  },
  {
    what: "too many imports",
    files: { [ENTRY]: importing(1001, (n) => `./missing-${n}`) },
    reason: /more than 1000 relative imports/,
  },
])("rejects a component with $what", async ({ files, reason }) => {
  const { closure, reads } = archived(files);
  expect(await closure()).toEqual({
    ok: false,
    entry: ENTRY,
    reason: expect.stringMatching(reason),
  });
  expect(reads()).toBeLessThanOrEqual(33);
});
