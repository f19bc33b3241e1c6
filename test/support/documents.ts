import { execFileSync } from "node:child_process";
import { join } from "node:path";

import SwaggerParser from "@apidevtools/swagger-parser";
import type { TestProject } from "vitest/node";

import { adminDocument } from "../../src/api/admin/router.ts";
import { v1Document } from "../../src/api/v1/router.ts";

declare module "vitest" {
  export interface ProvidedContext {
    documentFaults: Record<string, string>;
  }
}

type Parsed = Parameters<typeof SwaggerParser.validate>[0];

/** Make the client that the tests speak through, and have the documents judged by a validator, which compiles functions and so cannot run in the Workers runtime. */
export default async function setup(project: TestProject): Promise<void> {
  execFileSync(process.execPath, [join(import.meta.dirname, "../../scripts/client.ts")]);
  const documents = { v1: v1Document(), admin: adminDocument() };
  const faults: Record<string, string> = {};
  for (const [name, document] of Object.entries(documents)) {
    try {
      await SwaggerParser.validate(JSON.parse(JSON.stringify(document)) as Parsed);
    } catch (error) {
      faults[name] = String(error);
    }
  }
  project.provide("documentFaults", faults);
}
