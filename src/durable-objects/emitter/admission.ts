import { type QuotaName, usedUp } from "#domain/quotas.ts";
import { EVENT_TOO_LARGE } from "#domain/row-size.ts";
import type { Meter } from "#durable-objects/shared/meter.ts";
import type { Incoming } from "#http/requests.ts";
import { type HttpResponse, refuse, refuseForQuota, refuseLoop } from "#http/responses.ts";

/** The events of an emitter that run or wait for their run. */
type Backlog = {
  /** The number of these events. */
  load(): number;
  /** Whether the queue is full. */
  isFull(): boolean;
};

type Deps = {
  meter: Pick<Meter, "exhausted">;
  backlog: Backlog;
};

/** The reason to reject an event. */
export type Rejection =
  | { reason: "quota_exceeded"; quota: QuotaName; limit: number }
  | { reason: "overloaded" };

/** The reason to reject another event; undefined: none. The owner's quotas are those of the last report. */
export function rejectionOf({ meter, backlog }: Deps): Rejection | undefined {
  const exhausted = meter.exhausted(backlog.load());
  if (exhausted) return { reason: "quota_exceeded", ...exhausted };
  return backlog.isFull() ? { reason: "overloaded" } : undefined;
}

/**
 * The event of a request, or the response if it is rejected: its chain is over, it is too large, or `rejectionOf`. The
 * caller queues the event before anything else happens, so that the next request counts it.
 */
export function admit(
  incoming: Pick<Incoming, "event" | "hops" | "budget">,
  { kind, ...deps }: Deps & { kind: "source" | "workflow" },
): { event: string } | { refusal: HttpResponse } {
  const { event } = incoming;
  const loop = refuseLoop(incoming);
  if (loop) return { refusal: loop };
  if (event === null) return { refusal: refuse(413, "too_large", EVENT_TOO_LARGE) };
  const rejection = rejectionOf(deps);
  return rejection ? { refusal: refusalOf(rejection, kind) } : { event };
}

function refusalOf(rejection: Rejection, kind: string): HttpResponse {
  if (rejection.reason === "quota_exceeded") return refuseForQuota(rejection, Date.now());
  const message = `Too many events wait for this ${kind}`;
  return refuse(429, "overloaded", message, { "retry-after": "1" });
}

/**
 * The reason why a tick of a timer is skipped, which depends on whether the last one still waits or runs; undefined: it
 * is not.
 */
export function reasonToSkip(
  meter: Pick<Meter, "exhausted">,
  { isPending, load }: { isPending: boolean; load: number },
): string | undefined {
  if (isPending) return "the run of the last one has not ended";
  const exhausted = meter.exhausted(load);
  return exhausted && usedUp(exhausted.quota);
}
