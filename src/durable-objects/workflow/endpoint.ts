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

/** The HTTP trigger of a workflow: the response is `$.respond`'s, or 200 at once if no step names it. */
export class Endpoint {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Handle a request to `/e/{key}/…`. */
  async handle(incoming: Incoming): Promise<HttpResponse> {
    const { method, pathname } = incoming;
    const { meter, runs: backlog } = this.#deps;
    if (meter.isLimited()) await meter.refresh();
    const [, , key = ""] = pathname.split("/");
    if (!this.#isOpen(key)) return refuseClosed();
    if (method === "OPTIONS") return preflight();
    const admission = admit(incoming, { meter, backlog, kind: "workflow" });
    return "refusal" in admission ? admission.refusal : this.#run(incoming, admission.event);
  }

  #isOpen(key: string): boolean {
    const { deployments } = this.#deps;
    return deployments.isActive() && deployments.current()?.endpointKey === key;
  }

  async #run(
    { hops, budget, requestId }: Pick<Incoming, "hops" | "budget" | "requestId">,
    event: string,
  ): Promise<HttpResponse> {
    const { committer, responses } = this.#deps;
    const id = crypto.randomUUID();
    const pending = this.#mayRespond() ? responses.wait(id, RESPONSE_DEADLINE_MS) : undefined;
    const origin = { sourceType: "http", emitterId: null } as const;
    committer.begin([{ id, event, hops, budget, requestId, ...origin }]);
    return pending ? toHttpResponse(await pending) : accept({ run_id: id });
  }

  #mayRespond(): boolean {
    const { steps = [] } = this.#deps.deployments.current() ?? {};
    return steps.some(({ namesRespond }) => namesRespond !== false);
  }
}

function refuseClosed(): HttpResponse {
  return refuse(404, "not_found", "No active workflow has this endpoint");
}

function toHttpResponse(response: Awaited<ReturnType<PendingResponses["wait"]>>): HttpResponse {
  if (response === "ended") return refuse(400, "no_response", "No $.respond called in workflow");
  if (response === "late")
    return refuse(504, "upstream_timeout", "The workflow did not respond within 30 s");
  return custom(response);
}
