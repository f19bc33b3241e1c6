import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { generateSource } from "oazapfts";

import { standInForRuntime } from "./runtime-modules.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Where the documents lie for whoever needs them outside the Workers runtime. */
const DOCUMENTS = join(ROOT, ".wrangler/contract");

/** The typed client of the API. Like the documents, it is made whenever types or tests are, and not committed. */
const CLIENT = join(ROOT, "test/support/client.generated.ts");

/** The types of @wellspring/client. */
const CLIENT_PACKAGE = join(ROOT, "packages/client");

standInForRuntime();
const { v1Document } = await import("#worker/http/v1/router.ts");
const { connectDocument } = await import("#worker/http/connect/router.ts");
const { adminDocument } = await import("#worker/http/admin/router.ts");

await mkdir(DOCUMENTS, { recursive: true });
await writeFile(join(DOCUMENTS, "admin.json"), JSON.stringify(adminDocument()));
await writeFile(join(DOCUMENTS, "connect.json"), JSON.stringify(connectDocument()));
const document = join(DOCUMENTS, "v1.json");
await writeFile(document, JSON.stringify(v1Document()));
const client = await generateSource(document, { argumentStyle: "object" });
// What the generator writes is not as strict as we are; who calls it is checked all the same.
await writeFile(CLIENT, `// @ts-nocheck\n${client}`);
writeTypes("v1", join(CLIENT_PACKAGE, "src"));
for (const name of ["connect", "admin"]) writeTypes(name, join(ROOT, "console/src/api"));

/** Write the types of a document into a folder. Their generator needs a TypeScript of its own, which only the client has. */
function writeTypes(name: string, folder: string): void {
  execFileSync(
    join(CLIENT_PACKAGE, "node_modules/.bin/openapi-typescript"),
    [join(DOCUMENTS, `${name}.json`), "--output", join(folder, `${name}.generated.ts`)],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
}
