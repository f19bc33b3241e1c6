import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { ROOT } from "../local/settings.ts";
import { type AssetPart, buildEnvironment } from "./part.ts";

const VITE = join(ROOT, "node_modules/vite/bin/vite.js");

/** The console. */
export const CONSOLE: AssetPart = {
  name: "console",
  command: "npm run build:console",
  inputs: ["console", "packages/client/src", "tools/scripts/assets", "package-lock.json"],
  async write(folder) {
    const args = [VITE, "build", join(ROOT, "console"), "--outDir", folder, "--logLevel", "warn"];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: buildEnvironment() });
  },
};
