import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, ".wrangler/test");

/**
 * Write the entry of the Worker under test: every class of `src/index.ts` by name, as the test runner requires, and
 * beside them the fake dispatch namespace of Workers for Platforms, and a caller to hang up on. Returns its path.
 */
export function writeTestWorker(): string {
  const index = readFileSync(join(ROOT, "src/index.ts"), "utf8");
  const classes = index.match(/^export \{.*\} from ".*";$/gm) ?? [];
  const lines = [
    ...classes,
    `export { Dispatcher, Outbound } from "../../test/support/dispatcher.ts";`,
    `export { Unattended } from "../../test/support/unattended.ts";`,
    `export { default } from "../../src/index.ts";`,
  ];
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, "worker.ts");
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}
