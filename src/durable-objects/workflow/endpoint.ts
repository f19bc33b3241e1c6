import { EVENT_TOO_LARGE } from "#domain/row-size.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";
import type { Incoming } from "#http/requests.ts";
import {
  accept,
  type Answer,
  custom,
  preflight,
  refuse,
  refuseForQuota,
  refuseLoop,
} from "#http/responses.ts";

import type { WorkflowDeployments } from "./deployments.ts";
import type { Answers } from "./responses.ts";
import type { RunCommitter } from "./run-committer.ts";
import type { Runs } from "./runs.ts";

/** How long an HTTP caller waits for its run (docs/contract.md: Workflow HTTP trigger). */
const ANSWER_DEADLINE_MS = 30_000;

/** How many runs may wait for their turn before callers are turned away. */
export const MAX_QUEUED = 10_000;

type Deps = {
  deployments: WorkflowDeployments;
  runs: Runs;
  committer: RunCommitter;
  answers: Answers;
  meter: Meter;
};

/** The HTTP trigger of a workflow: the answer is `$.respond`'s, else 200 when the run ends, pauses or takes long. */
export class WorkflowEndpoint {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Answer a request to `/e/{key}/…`. */
  async answer(incoming: Incoming): Promise<Answer> {
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

  async #run(incoming: Incoming): Promise<Answer> {
    const { event, hops, budget, requestId } = incoming;
    if (event === null) return refuse(413, "too_large", EVENT_TOO_LARGE);
    const loop = refuseLoop(incoming);
    if (loop) return loop;
    const { runs, committer, answers, meter } = this.#deps;
    if (meter.isLimited()) await meter.refresh();
    const exhausted = meter.exhausted(runs.open());
    if (exhausted) return refuseForQuota(exhausted, Date.now());
    if (runs.count("queued") >= MAX_QUEUED)
      return refuse(429, "overloaded", "Too many events wait for this workflow", {
        "retry-after": "1",
      });
    const id = crypto.randomUUID();
    const answered = answers.wait(id, ANSWER_DEADLINE_MS);
    const origin = { sourceType: "http", emitterId: null } as const;
    committer.begin([{ id, event, hops, budget, requestId, ...origin }]);
    const response = await answered;
    return response ? custom(response) : accept({ run_id: id });
  }
}
