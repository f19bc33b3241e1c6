import { chainEnd, isChainOver } from "#domain/chains.ts";
import type { Delivery } from "#domain/deliveries.ts";
import { isEmittedSince } from "#domain/event-ids.ts";
import type { InboxDedupe } from "#durable-objects/emitter/inbox-dedupe.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";

import { SharedDeadline } from "./deadline.ts";
import type { Deployments } from "./deployments.ts";
import { type Job, newJob } from "./queue.ts";
import { type RunCommitter, type Run, runOf } from "./run-committer.ts";
import type { Runner } from "./runner.ts";

/** After this time the remaining deliveries are stored in the inbox and acknowledged. */
const QUICK_RUNS_MS = 20;

type Deps = {
  deployments: Deployments;
  runner: Runner;
  committer: RunCommitter;
  inboxDedupe: InboxDedupe;
  meter: Meter;
};

/** Receives the events of other emitters. `run` gets the emitted value itself. */
export class Listener {
  readonly #deps: Deps;
  readonly #deadline = new SharedDeadline(QUICK_RUNS_MS);

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Make deliveries durable, each once. Resolves when they are; false if there is no room for them now. */
  async receive(deliveries: readonly Delivery[]): Promise<boolean> {
    const { deployments, runner, meter } = this.#deps;
    if (meter.isLimited()) await meter.refresh();
    const { active, activeSinceMs } = deployments.status();
    // An inactive source receives nothing: deliveries are dropped, as requests to its endpoint are.
    if (!deployments.current() || !active) return true;
    if (runner.isFull()) return false;
    const received = deliveries.filter(({ position }) => isEmittedSince(position, activeSinceMs));
    const jobs = received.flatMap((delivery) => this.#jobOf(delivery));
    // While the owner's quotas are exhausted, they wait in the inbox: the runner starts nothing.
    const ends = Promise.all(jobs.map((job) => runner.submit(job)));
    await this.#deadline.settles(ends);
    for (const job of jobs) runner.keep(job);
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
