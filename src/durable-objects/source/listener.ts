import { chainEnd, isChainOver } from "#domain/chains.ts";
import type { Delivery } from "#domain/deliveries.ts";
import type { InboxDedupe } from "#durable-objects/emitter/inbox-dedupe.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";

import { SharedDeadline } from "./deadline.ts";
import type { Deployments } from "./deployments.ts";
import { type Job, newJob } from "./queue.ts";
import { type RunCommitter, type Run, runOf } from "./run-committer.ts";
import type { Runner } from "./runner.ts";

/** How long deliveries may run before the rest of them is kept in the inbox and acknowledged. */
const QUICK_RUNS_MS = 20;

type Deps = {
  deployments: Deployments;
  runner: Runner;
  committer: RunCommitter;
  inboxDedupe: InboxDedupe;
  meter: Meter;
};

/** Takes in the events of other emitters. `run` gets the emitted value itself. */
export class Listener {
  readonly #deps: Deps;
  readonly #deadline = new SharedDeadline(QUICK_RUNS_MS);

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Make deliveries durable, each once. Resolves when they are; false when there is no room for them now. */
  async receive(deliveries: readonly Delivery[]): Promise<boolean> {
    const { deployments, runner, meter } = this.#deps;
    if (meter.isLimited()) await meter.refresh();
    // An inactive source listens to nothing: what comes is dropped, as at its endpoint.
    if (!deployments.current() || !deployments.status().active) return true;
    if (runner.isFull()) return false;
    const jobs = deliveries.flatMap((delivery) => this.#jobOf(delivery));
    // Where the owner's quotas are used up, they wait in the inbox: the runner begins nothing.
    const ends = Promise.all(jobs.map((job) => runner.submit(job)));
    if (!(await this.#deadline.settles(ends))) for (const job of jobs) runner.keep(job);
    return true;
  }

  #jobOf({ emitterId, position, payload, hops, budget, requestId }: Delivery): Job[] {
    const arrival = { emitterId, position };
    if (!this.#deps.inboxDedupe.begin(arrival)) return [];
    const cause = { trigger: "event", requestId } as const;
    if (!isChainOver({ hops, budget }))
      return [{ ...newJob({ event: payload }, cause), hops, budget, arrival }];
    this.#park({ event: payload, hops, budget, arrival, requestId });
    return [];
  }

  #park(parked: Pick<Run, "event" | "hops" | "budget" | "arrival" | "requestId">): void {
    const deployment = this.#deps.deployments.current();
    if (!deployment) return;
    this.#deps.committer.recordFailure({ ...runOf(deployment), ...parked }, chainEnd(parked));
  }
}
