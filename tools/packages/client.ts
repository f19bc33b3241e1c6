import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { generate } from "../scripts/local/generated.ts";

/** Builds packages/client/dist: the client as plain JavaScript with its types, by the compiler of the package. */

const PACKAGE = resolve(import.meta.dirname, "../../packages/client");
const DIST = join(PACKAGE, "dist");

await import("../scripts/contract.ts");
await generate(
  {
    name: "client",
    inputs: [
      ...["src", "package.json", "tsconfig.json", "tsconfig.build.json"].map(
        (name) => `packages/client/${name}`,
      ),
      "package-lock.json",
      "tsconfig.json",
      "tools/packages/client.ts",
    ],
    outputs: ["packages/client/dist"],
  },
  async () => {
    await rm(DIST, { recursive: true, force: true });
    const tsc = join(PACKAGE, "node_modules/typescript/bin/tsc");
    const options = ["-p", join(PACKAGE, "tsconfig.build.json")];
    await promisify(execFile)(process.execPath, [tsc, ...options]);
  },
);
console.log(`built ${DIST}`);
