import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { generate } from "./local/generated.ts";
import { ROOT } from "./local/settings.ts";

/** The documents, for readers outside the Workers runtime. */
const DOCUMENTS = ".wrangler/contract";

/** The typed client of the API. Like the documents, it is generated with types and tests, and not committed. */
const CLIENT = "test/support/client.generated.ts";

/** The package with the generator of types, which needs its own TypeScript version. */
const CLIENT_PACKAGE = "packages/client";

/** The types of each document. */
const TYPES = {
  v1: `${CLIENT_PACKAGE}/src/v1.generated.ts`,
  connect: "console/src/api/connect.generated.ts",
  admin: "console/src/api/admin.generated.ts",
};

await generate(
  {
    name: "contract",
    inputs: [
      "src",
      "docs/schemas",
      "package-lock.json",
      "tools/scripts/contract.ts",
      "tools/scripts/runtime-modules.ts",
    ],
    outputs: [CLIENT, ...Object.values(TYPES), ...Object.keys(TYPES).map(documentOf)],
  },
  async () => {
    await writeDocuments();
    await Promise.all([writeClient(), ...Object.entries(TYPES).map(writeTypes)]);
  },
);

function documentOf(name: string): string {
  return `${DOCUMENTS}/${name}.json`;
}

async function writeDocuments(): Promise<void> {
  const { standInForRuntime } = await import("./runtime-modules.ts");
  standInForRuntime();
  const { v1Document } = await import("#worker/http/v1/router.ts");
  const { connectDocument } = await import("#worker/http/connect/router.ts");
  const { adminDocument } = await import("#worker/http/admin/router.ts");
  await mkdir(join(ROOT, DOCUMENTS), { recursive: true });
  const documents = { v1: v1Document(), connect: connectDocument(), admin: adminDocument() };
  for (const [name, document] of Object.entries(documents))
    await writeFile(join(ROOT, documentOf(name)), JSON.stringify(document));
}

async function writeClient(): Promise<void> {
  const { generateSource } = await import("oazapfts");
  const client = await generateSource(join(ROOT, documentOf("v1")), { argumentStyle: "object" });
  // The generator's code is not as strict as ours; the compiler checks its callers all the same.
  await writeFile(join(ROOT, CLIENT), `// @ts-nocheck\n${client}`);
}

async function writeTypes([name, file]: [string, string]): Promise<void> {
  await promisify(execFile)(
    join(ROOT, CLIENT_PACKAGE, "node_modules/.bin/openapi-typescript"),
    [join(ROOT, documentOf(name)), "--output", join(ROOT, file)],
    { cwd: ROOT },
  );
}
