import type { Delivery } from "#domain/deliveries.ts";
import { isEmittedSince } from "#domain/event-ids.ts";
import { isId } from "#domain/ids.ts";
import type { InboxDedupe } from "#durable-objects/emitter/inbox-dedupe.ts";

import type { NewRun } from "./contract.ts";
import type { Deployments } from "./deployments.ts";
import type { RunCommitter } from "./run-committer.ts";
import type { Runs } from "./runs.ts";

type Deps = {
  deployments: Deployments;
  inboxDedupe: InboxDedupe;
  runs: Runs;
  committer: RunCommitter;
};

/** Receives the events of emitters, each as one run: `steps.trigger.event` is the emitted value itself. */
export class Listener {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Make deliveries durable, each once. False if there is no room for them now. */
  receive(deliveries: readonly Delivery[]): boolean {
    const { deployments, inboxDedupe, runs, committer } = this.#deps;
    // An inactive workflow receives nothing: events are dropped, as at its endpoint.
    if (!deployments.isActive()) return true;
    if (runs.isFull()) return false;
    const sinceMs = deployments.activeSinceMs();
    const fresh = deliveries
      .filter(({ position }) => isEmittedSince(position, sinceMs))
      .map((delivery) => ({ delivery, arrival: arrivalOf(delivery) }))
      .filter(({ arrival }) => inboxDedupe.begin(arrival));
    committer.begin(fresh.map(({ delivery, arrival }) => ({ ...runOf(delivery), arrival })));
    return true;
  }

  /** Begin a run that another workflow requests. False if there is no room for it now. */
  trigger(run: NewRun): boolean {
    const { runs, committer } = this.#deps;
    if (runs.isFull()) return false;
    committer.begin([run]);
    return true;
  }
}

function arrivalOf({ emitterId, position }: Delivery): { emitterId: string; position: number } {
  return { emitterId, position };
}

/** The run of an event has its emit id: so `replayOf` is the first run on a replayed event. */
function runOf({ emitId, emitterId, payload, replayOf, ...cause }: Delivery): NewRun {
  const { hops, budget, requestId } = cause;
  const sourceType = isId("workflow", emitterId) ? "workflow" : "source";
  const origin = { sourceType, emitterId, traceId: replayOf } as const;
  return { id: emitId, event: payload, hops, budget, requestId, ...origin };
}
