import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { generateSource } from "oazapfts";

import { v1Document } from "../src/api/v1/router.ts";

/** The typed client of the API, made of its document whenever types or tests are. Not committed, and so never stale. */
const CLIENT = join(import.meta.dirname, "../test/support/client.generated.ts");

const document = join(tmpdir(), `wellspring-${process.pid}.json`);
await writeFile(document, JSON.stringify(v1Document()));
const client = await generateSource(document, { argumentStyle: "object" });
await rm(document);
// What the generator writes is not as strict as we are; who calls it is checked all the same.
await writeFile(CLIENT, `// @ts-nocheck\n${client}`);
