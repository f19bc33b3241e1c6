import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, ".wrangler/test");

/**
 * Write the entry of the Worker under test: every class of `src/index.ts` by name, as the test runner requires, with the
 * bounds of production, and beside them the fake dispatch namespace of Workers for Platforms, a network with limits, and
 * a caller to hang up on. Returns its path.
 */
export function writeTestWorker(): string {
  const index = readFileSync(join(ROOT, "src/index.ts"), "utf8");
  const classes = [...index.matchAll(/^export \{ (\w+) \} from ".*";$/gm)].map(([, name]) => name);
  const lines = [
    `import { strictEntrypoint, strictHandlers, strictObject } from "../../test/support/strict-worker.ts";`,
    `import handlers, * as index from "../../src/index.ts";`,
    ...classes.map(
      (name) =>
        `export class ${name} extends ${name?.endsWith("Object") ? "strictObject" : "strictEntrypoint"}(index.${name}) {}`,
    ),
    `export { Dispatcher, Outbound } from "../../test/support/dispatcher.ts";`,
    `export { LimitedOutbound } from "../../test/support/limited-loader.ts";`,
    `export { Unattended } from "../../test/support/unattended.ts";`,
    `export default strictHandlers(handlers);`,
  ];
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, "worker.ts");
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}
