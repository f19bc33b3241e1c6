import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { Failure } from "../failure.ts";

export const NODE_FLAGS = ["--disable-warning=ExperimentalWarning"];

/** Node 22, which the platform needs: the one among the dependencies. */
export function nodeFor(root: string): string {
  try {
    const manifest = createRequire(join(root, "package.json")).resolve("node/package.json");
    const binary = join(dirname(manifest), "bin/node");
    if (existsSync(binary)) return binary;
  } catch {
    // The installation omits it.
  }
  const [major = "0"] = process.versions.node.split(".");
  if (Number(major) >= 22) return process.execPath;
  throw new Failure(`The platform needs Node 22, and this is ${process.version}`, {
    next: "install the package `node` beside this one, or run a newer Node",
  });
}
