import { readdirSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

const BENCHES = join(import.meta.dirname, "../../tools/bench");

/** Modules that read their arguments on load. */
const COMMANDS = new Set(["run.ts", "bundle.ts"]);

const modules = readdirSync(BENCHES).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".d.ts") && !COMMANDS.has(name),
);

test.for(modules)("Node alone can load %s", async (name) => {
  expect(Object.keys(await import(join(BENCHES, name)))).not.toEqual([]);
});
