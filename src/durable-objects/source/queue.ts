import { MAX_CALL_BYTES, maxWireBytes } from "#domain/wire-size.ts";
import type { Arrival } from "#durable-objects/emitter/inbox-dedupe.ts";
import type { Capabilities } from "#sandbox/user-code.ts";
import { MAX_EVENTS_PER_CALL } from "#sandbox/worker-loader.ts";

/** The trigger of a run: a request, a timer, another emitter, a manual run, or recovery after a crash. */
type Trigger = "http" | "timer" | "event" | "manual" | "recovery";

/** The trigger of an event, and its request id for the log. */
export type Cause = { trigger: Trigger; requestId?: string | undefined };

/** An event on its way to its run. While `seq` is null it is in memory only and not acknowledged. */
export type Job = Cause & {
  event: string | null;
  seq: number | null;
  /** Maximum bytes of the event in a call. */
  bytes: number;
  hasBegun: boolean;
  /** Whether its outcome is committed, or there is nothing left to run. */
  hasEnded: boolean;
  /** Its run may have crashed before: it runs alone, so that it cannot crash others. */
  isSuspect: boolean;
  host?: Capabilities;
  /** The id of its run, shared by all attempts. */
  runId?: string;
  /** Duration of crashed attempts. */
  lostMs: number;
  /** The number of emitters that the event has passed: 0 for a request or a tick. */
  hops: number;
  /** The number of runs that it may cause, its own included; absent: the maximum of a trigger. */
  budget?: number | undefined;
  /**
   * The number of components' requests that its run is nested in; absent: none, as for every run that no request waits
   * for.
   */
  depth?: number | undefined;
  /** The tick of the event, while the tick's timer has not advanced. */
  tick?: { prop: string; dueMs: number };
  /** Its place in another emitter, if one delivered it. */
  arrival?: Arrival;
};

/** The fields that decide which jobs form a group. */
type Sized = Pick<Job, "bytes" | "isSuspect" | "host">;

/**
 * Take from the front of a queue the jobs for one call of the isolate: at most `room`, as many as fit into a call; jobs
 * that must run alone get a call of their own.
 */
export function takeGroup<W extends { job: Sized }>(queue: W[], room: number): W[] {
  const most = Math.min(room, MAX_EVENTS_PER_CALL);
  if (most <= 0) return [];
  let count = 0;
  let bytes = 0;
  for (const { job } of queue.slice(0, most)) {
    const isAlone = mustBeAlone(job);
    bytes += job.bytes;
    if (count > 0 && (isAlone || bytes > MAX_CALL_BYTES)) break;
    count += 1;
    if (isAlone) break;
  }
  return queue.splice(0, count);
}

/** A job without attempts. `bytes`: of the event with this place in the inbox. */
export function newJob(
  place: { event: string } | { seq: number; bytes: number },
  cause: Cause,
  host?: Capabilities,
): Job {
  return {
    ...cause,
    event: "event" in place ? place.event : null,
    seq: "seq" in place ? place.seq : null,
    bytes: "seq" in place ? place.bytes : maxWireBytes(place.event),
    hasBegun: false,
    hasEnded: false,
    isSuspect: false,
    lostMs: 0,
    hops: 0,
    ...(host && { host }),
  };
}

function mustBeAlone({ isSuspect, host }: Sized): boolean {
  return isSuspect || host !== undefined;
}
