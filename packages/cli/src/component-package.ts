import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import manifest from "../package.json" with { type: "json" };
import { Failure } from "./failure.ts";
import { COMPONENT_TARBALL, platformRoot } from "./places.ts";
import { NODE_FLAGS } from "./platform/node.ts";

/**
 * The package with the types and tests of components, by the name that code imports. npm's registry has no package of ours
 * under it, so new components install it from a file.
 */
export const COMPONENT_PACKAGE = "@wellspring/component";

/** How a package.json refers to the package, and the files that its folder needs for that. */
export type ComponentPackage = { spec: string; files: Record<string, Uint8Array> };

/** The package in the clone that this runs in, which is built for it, else the tarball in this package. */
export async function getComponentPackage(): Promise<ComponentPackage> {
  const platform = platformRoot();
  if (platform && !platform.isBuilt) {
    const build = join(platform.root, "tools/packages/component.ts");
    await promisify(execFile)(process.execPath, [...NODE_FLAGS, build]);
    return { spec: `file:${join(platform.root, "packages/component")}`, files: {} };
  }
  const tarball = await readFile(COMPONENT_TARBALL).catch(() => {
    throw new Failure("This package does not contain the types and tests of components", {
      next: "leave out --typescript, or run `npm run pack` in a clone to make a complete one",
    });
  });
  const name = `wellspring-component-${manifest.version}.tgz`;
  return { spec: `file:${name}`, files: { [name]: tarball } };
}
