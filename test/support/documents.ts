import { execFileSync } from "node:child_process";
import { join } from "node:path";

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
 * Make the documents and the client that the tests speak through, and have a validator judge the documents: it
 * compiles functions from strings, and so cannot run in the Workers runtime.
 */
export default async function setup(project: TestProject): Promise<void> {
  project.provide("documentFaults", await once("documents", judgeDocuments));
}

async function judgeDocuments(): Promise<Record<string, string>> {
  const script = [join(ROOT, "tools/scripts/contract.ts"), "--disable-warning=ExperimentalWarning"];
  execFileSync(process.execPath, script.toReversed());
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
