import { chainEnd, isChainOver, MAX_NESTED, TOO_DEEP } from "#domain/chains.ts";
import { endpointUrls } from "#domain/endpoints.ts";
import { eventOfManualRun } from "#domain/manual-run.ts";
import { usedUp } from "#domain/quotas.ts";
import { withTimeout } from "#domain/timeout.ts";
import { maxWireBytes } from "#domain/wire-size.ts";
import { rejectionOf } from "#durable-objects/emitter/admission.ts";
import type { EventHistory } from "#durable-objects/emitter/history.ts";
import type { Alarm } from "#durable-objects/shared/alarm.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";

import type { Deployment, RunOrder, ManualRunResult } from "./contract.ts";
import type { Deployments } from "./deployments.ts";
import { type Inbox, RECOVERY_DELAY_MS } from "./inbox.ts";
import { newJob } from "./queue.ts";
import type { RunEnd, Runner } from "./runner.ts";

type Deps = {
  deployments: Deployments;
  runner: Runner;
  history: EventHistory;
  inbox: Inbox;
  alarm: Alarm;
  meter: Meter;
};

/** Runs a source on request (docs/contract.md: Manual runs). */
export class ManualRuns {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Store an event in the inbox, run it in its turn, and return the outcome if it is there in time. */
  async run({ event, waitMs, requestId, hops, budget, depth }: RunOrder): Promise<ManualRunResult> {
    const { deployments, runner, inbox, alarm, meter } = this.#deps;
    if (meter.isLimited()) await meter.refresh();
    const deployment = deployments.current();
    if (!deployment || !deployments.status().active) return { ok: false, reason: "inactive" };
    const refusal = this.#refusal({ hops, budget, depth });
    if (refusal) return refusal;
    const runId = crypto.randomUUID();
    const kept = { attempts: 0, runId, requestId, hops, budget };
    const given = event ?? defaultEvent(deployment);
    const place = { seq: inbox.put(given, kept), bytes: maxWireBytes(given) };
    alarm.arm(Date.now() + RECOVERY_DELAY_MS);
    const job = newJob(place, { trigger: "manual", requestId });
    const ended = runner.submit({ ...job, runId, depth });
    if (waitMs === 0) return { ok: true, runId, state: "accepted" };
    if (!(await settlesWithin(ended, waitMs))) return { ok: true, runId, state: "running" };
    return { ok: true, runId, ...this.#resultOf(await ended) };
  }

  #refusal({
    hops = 0,
    budget,
    depth = 0,
  }: Omit<RunOrder, "event" | "waitMs">): ManualRunResult | undefined {
    if (depth > MAX_NESTED) return { ok: false, reason: "loop_detected", message: TOO_DEEP };
    if (isChainOver({ hops, budget }))
      return { ok: false, reason: "loop_detected", message: chainEnd({ hops, budget }).message };
    const { runner, meter } = this.#deps;
    const rejection = rejectionOf({ meter, backlog: runner });
    if (rejection?.reason !== "quota_exceeded") return rejection && { ok: false, ...rejection };
    return { ok: false, reason: "quota_exceeded", message: usedUp(rejection.quota) };
  }

  #resultOf({ failure, response, left }: RunEnd) {
    return {
      state: failure ? ("failed" as const) : ("finished" as const),
      ...(left ? this.#deps.history.reader.span(left) : { events: [], rest: [] }),
      ...(response && { response }),
    };
  }
}

function defaultEvent({ props, configuredProps, origin, endpoints }: Deployment): string {
  const urls = endpointUrls(origin, endpoints);
  return JSON.stringify(eventOfManualRun({ props, configuredProps, urls }, Date.now()));
}

/** Whether a promise resolves within `ms`. */
function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return withTimeout(
    promise.then(() => true),
    ms,
    () => false,
  );
}
