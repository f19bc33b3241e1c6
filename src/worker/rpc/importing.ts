import { WorkerEntrypoint } from "cloudflare:workers";

import { importSome } from "#services/registry-imports/run.ts";
import { openContext } from "#worker/bindings.ts";

/**
 * The parts of an import, each in an invocation of its own: all steps of an instance of the engine share one, with its
 * budgets of isolates, subrequests and queries.
 */
export class Importing extends WorkerEntrypoint<Env> {
  importSome(...[id, range]: ImportedPart): Promise<string | null> {
    return importSome(openContext(this.env), id, range);
  }
}

type ImportedPart = Parameters<typeof importSome> extends [unknown, ...infer Part] ? Part : never;
