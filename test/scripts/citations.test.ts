import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const CITATION = /\(docs\/contract\.md: ([^)]+)\)/g;

test("each comment that refers to the contract names one of its sections", async () => {
  const contract = await readFile(join(ROOT, "docs/contract.md"), "utf8");
  const sections = new Set([...contract.matchAll(/^### (.+)$/gm)].map(([, name]) => name));
  const cited: [string, string][] = [];
  for (const folder of ["src", "worker-templates"])
    for (const file of await readdir(join(ROOT, folder), { recursive: true })) {
      if (!/\.[jt]s$/.test(file)) continue;
      const text = await readFile(join(ROOT, folder, file), "utf8");
      for (const [, section = ""] of text.matchAll(CITATION)) cited.push([file, section]);
    }
  expect(cited.length).toBeGreaterThan(40);
  expect(cited.filter(([, section]) => !sections.has(section))).toEqual([]);
});
