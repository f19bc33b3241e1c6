import { readdirSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

const BENCHES = join(import.meta.dirname, "../../tools/bench");

/** What takes its part as it loads. */
const COMMANDS = new Set(["run.ts", "bundle.ts"]);

const modules = readdirSync(BENCHES).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".d.ts") && !COMMANDS.has(name),
);

test.for(modules)("%s needs nothing that Node does not have", async (name) => {
  expect(Object.keys(await import(join(BENCHES, name)))).not.toEqual([]);
});
