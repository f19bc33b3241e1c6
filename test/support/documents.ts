import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import SwaggerParser from "@apidevtools/swagger-parser";
import type { TestProject } from "vitest/node";

import { once } from "./once.ts";

declare module "vitest" {
  export interface ProvidedContext {
    documentFaults: Record<string, string>;
  }
}

const ROOT = join(import.meta.dirname, "../..");

/**
 * Generate the OpenAPI documents and the client of the tests, and validate the documents here: the validator compiles
 * functions from strings, so it cannot run in the Workers runtime.
 */
export default async function setup(project: TestProject): Promise<void> {
  project.provide("documentFaults", await once("documents", validateDocuments));
}

async function validateDocuments(): Promise<Record<string, string>> {
  const script = [join(ROOT, "tools/scripts/contract.ts"), "--disable-warning=ExperimentalWarning"];
  await promisify(execFile)(process.execPath, script.toReversed());
  const faults: Record<string, string> = {};
  for (const name of ["v1", "admin", "connect"]) {
    try {
      await SwaggerParser.validate(join(ROOT, `.wrangler/contract/${name}.json`));
    } catch (error) {
      faults[name] = String(error);
    }
  }
  return faults;
}
