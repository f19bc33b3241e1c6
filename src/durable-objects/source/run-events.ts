import { DEFAULT_CHANNEL, DELAYED_CHANNEL, ERROR_CHANNEL } from "#domain/channels.ts";
import type { Candidate } from "#domain/dedupe.ts";
import { errorText } from "#domain/error-text.ts";
import type { EventMeta } from "#domain/events.ts";
import { type Emission, errorRecord, type Failure, type RunIdentity } from "#domain/invocation.ts";
import { toJson } from "#domain/json.ts";
import type { NewEvent } from "#durable-objects/emitter/history.ts";

import type { Deployment } from "./contract.ts";

/** The fields of a run that its events contain. */
type EventOrigin = {
  runId: string;
  deployment: Deployment;
  event: string | null;
  hops: number;
  requestId?: string | undefined;
};

/** An event that a run emitted. */
export function emittedEvent(
  emission: Emission & Candidate,
  run: EventOrigin,
  nowMs: number,
): NewEvent {
  const { payload, name: channel = DEFAULT_CHANNEL, id, summary, ts, deliveryTs } = emission;
  const isDelayed = deliveryTs !== undefined && deliveryTs > nowMs;
  return {
    channel: isDelayed ? DELAYED_CHANNEL : channel,
    emitId: crypto.randomUUID(),
    payload,
    hops: run.hops + 1,
    requestId: run.requestId,
    meta: toJson<EventMeta>({ id, summary, ts }),
    dedupeId: run.deployment.dedupe ? id : undefined,
    ...(isDelayed && { delayed: { dueMs: deliveryTs, target: channel } }),
  };
}

/** An error of a run, for `$errors`. */
export function errorEvent(failure: Failure, run: EventOrigin, nowMs: number): NewEvent {
  const { runId, deployment, event } = run;
  const { sourceId, ownerId, bundleHash } = deployment;
  const identity: RunIdentity = {
    runId,
    sourceId,
    ownerId,
    cellId: `c_${bundleHash.slice(0, 12)}`,
  };
  const record = errorRecord(failure, identity, { event, nowMs });
  return systemEvent(ERROR_CHANNEL, errorText(record), run);
}

/** An event on a channel of the platform's own. */
export function systemEvent(
  channel: string,
  payload: string,
  { hops, requestId }: Pick<EventOrigin, "hops" | "requestId">,
): NewEvent {
  return {
    channel,
    emitId: crypto.randomUUID(),
    payload,
    hops: hops + 1,
    requestId,
    meta: toJson({}),
  };
}
