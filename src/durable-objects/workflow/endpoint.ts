import { admit } from "#durable-objects/emitter/admission.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";
import type { Incoming } from "#http/requests.ts";
import { accept, type HttpResponse, custom, preflight, refuse } from "#http/responses.ts";

import type { Deployments } from "./deployments.ts";
import type { PendingResponses } from "./responses.ts";
import type { RunCommitter } from "./run-committer.ts";
import type { Runs } from "./runs.ts";

/** Maximum time that an HTTP caller waits for its run (docs/contract.md: Workflow HTTP trigger). */
const RESPONSE_DEADLINE_MS = 30_000;

type Deps = {
  deployments: Deployments;
  runs: Runs;
  committer: RunCommitter;
  responses: PendingResponses;
  meter: Meter;
};

/** The HTTP trigger of a workflow: the response is `$.respond`'s, else 200 when the run ends, pauses or takes long. */
export class Endpoint {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Handle a request to `/e/{key}/…`. */
  async handle(incoming: Incoming): Promise<HttpResponse> {
    const { method, pathname } = incoming;
    const [, , key = ""] = pathname.split("/");
    if (!this.#isOpen(key)) return refuse(404, "not_found", "No active workflow has this endpoint");
    if (method === "OPTIONS") return preflight();
    return this.#run(incoming);
  }

  #isOpen(key: string): boolean {
    const { deployments } = this.#deps;
    return deployments.isActive() && deployments.current()?.endpointKey === key;
  }

  async #run(incoming: Incoming): Promise<HttpResponse> {
    const { hops, budget, requestId } = incoming;
    const { runs, committer, responses, meter } = this.#deps;
    const admission = await admit(incoming, { meter, backlog: runs, kind: "workflow" });
    if ("refusal" in admission) return admission.refusal;
    const { event } = admission;
    const id = crypto.randomUUID();
    const pending = responses.wait(id, RESPONSE_DEADLINE_MS);
    const origin = { sourceType: "http", emitterId: null } as const;
    committer.begin([{ id, event, hops, budget, requestId, ...origin }]);
    const response = await pending;
    return response ? custom(response) : accept({ run_id: id });
  }
}
