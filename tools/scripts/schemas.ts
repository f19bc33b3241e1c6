import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { standInForRuntime } from "./runtime-modules.ts";

/** Writes the JSON Schemas with which editors validate workflows and definitions of components. */

const { values } = parseArgs({
  options: {
    folder: { type: "string", default: join(import.meta.dirname, "../../docs/schemas") },
  },
});

standInForRuntime();
const { workflowSchema } = await import("./schemas/workflow.ts");
const { componentSchema } = await import("./schemas/component.ts");

await write("workflow", await workflowSchema());
await write("component", componentSchema());

async function write(name: string, schema: object): Promise<void> {
  await writeFile(join(values.folder, `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
}
