import { expect, test } from "vitest";

import type { Manifest } from "#bundler/manifest.ts";
import { layOut, type Root } from "#bundler/tree.ts";

/** Dependencies of each version by `name@version`; a range is a major version. */
const PUBLISHED: Record<string, Record<string, string>> = {
  "app@1": { left: "2", right: "2" },
  "left@1": {},
  "left@2": { shared: "7" },
  "right@1": {},
  "right@2": { shared: "5" },
  "shared@5": {},
  "shared@7": {},
};

async function find(name: string, range: string): Promise<Manifest | undefined> {
  const dependencies = PUBLISHED[`${name}@${range}`];
  const version = `${range}.0.0`;
  return dependencies && { name, version, dependencies, dist: { tarball: "" } };
}

function root(name: string, range: string): Root {
  return { folder: name, name, range, specifier: name, importer: "component.js" };
}

test("a package resolves to its version if another is placed in between in the same step", async () => {
  const roots = [root("app", "1"), root("left", "1"), root("right", "1"), root("shared", "5")];
  const placed = await layOut(roots, find);
  const versions = placed.map(({ path, manifest }) => [path, manifest?.version]);
  expect(Object.fromEntries(versions)).toEqual({
    "node_modules/app": "1.0.0",
    "node_modules/left": "1.0.0",
    "node_modules/right": "1.0.0",
    "node_modules/shared": "5.0.0",
    "node_modules/app/node_modules/left": "2.0.0",
    "node_modules/app/node_modules/right": "2.0.0",
    "node_modules/app/node_modules/shared": "7.0.0",
    "node_modules/app/node_modules/right/node_modules/shared": "5.0.0",
  });
});

test("does not request the dependencies beyond the maximum number of packages", async () => {
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`p${index}`, "1"]));
  const requested: string[] = [];
  const laidOut = layOut([root("vast", "1")], async (name) => {
    requested.push(name);
    return { name, version: "1.0.0", dependencies: many, dist: { tarball: "" } };
  });
  await expect(laidOut).rejects.toThrow(
    "The packages that are imported need more than 1000 packages",
  );
  expect(requested).toEqual(["vast"]);
});
