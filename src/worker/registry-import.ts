import {
  exports,
  WorkflowEntrypoint,
  type WorkflowEvent,
  type WorkflowStep,
} from "cloudflare:workers";

import { errorMessage } from "#domain/errors.ts";
import { COMPONENTS_A_STEP } from "#services/registry-imports/components.ts";
import { endImport, unpackImport } from "#services/registry-imports/run.ts";

import { openContext } from "./bindings.ts";
import type { ImportTicket } from "./imports.ts";

/** Long enough for a temporary failure of a registry, and for large packages. */
const TERMS = {
  retries: { limit: 5, delay: "10 seconds", backoff: "exponential" },
  timeout: "30 minutes",
} as const;

/** One import of an archive of components, as an instance of the engine. */
export class RegistryImport extends WorkflowEntrypoint<Env, ImportTicket> {
  override async run(
    { payload: { id } }: Readonly<WorkflowEvent<ImportTicket>>,
    step: WorkflowStep,
  ): Promise<void> {
    let error: string | null = null;
    try {
      const unpacked = await step.do("unpack", TERMS, () => unpackImport(this.#context(), id));
      for (let first = 0; first < unpacked.components; first += COMPONENTS_A_STEP) {
        const range = { first, count: COMPONENTS_A_STEP };
        error = await step.do(`components ${first + 1}`, TERMS, ({ attempt }) =>
          exports.Importing.importSome(id, { ...range, isLast: attempt > TERMS.retries.limit }),
        );
        if (error !== null) break;
      }
      error ??= unpacked.refusal;
    } catch (thrown) {
      error = errorMessage(thrown);
    }
    await step.do("end", TERMS, () => endImport(this.#context(), id, error));
  }

  /** Opened for each step: an instance may resume in another isolate. */
  #context() {
    return openContext(this.env);
  }
}
