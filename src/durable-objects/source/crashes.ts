import type { LogLine } from "#domain/invocation.ts";
import { RanTooLong } from "#domain/sandbox-loss.ts";
import { SharedLimit } from "#domain/shared-limit.ts";
import { causeOfDeath } from "#telemetry/fault.ts";
import { log } from "#telemetry/log.ts";

/** Maximum attempts of an event whose run crashes its isolate or process; then it becomes an error. */
const MAX_ATTEMPTS = 3;

/** Maximum starts of an event, those included that a deployment or a restart of the platform interrupted. */
const MAX_RUN_STARTS = 10;

/** The starts of an event's run: attempts that count, and those that another version of the platform found interrupted. */
export type Starts = { attempts: number; interrupted: number };

/** Whether an event may have so many starts, and `further` ones. */
export function mayStart({ attempts, interrupted }: Starts, further = 0): boolean {
  return attempts + further <= MAX_ATTEMPTS && attempts + interrupted + further <= MAX_RUN_STARTS;
}

/** The outcome of a crashed attempt: a log line. Until the last one, nothing else shows that the source's code loops. */
export function crashedAttempt(error: unknown, { attempts }: Starts) {
  const message = `The run ${causeOf(error)}: it is retried (attempt ${attempts} of ${MAX_ATTEMPTS})`;
  const line: LogLine = { level: "warn", message, atMs: Date.now() };
  return { emitted: [], db: {}, logs: [line] };
}

/** Log the end of an isolate, with the ids of its run. A limit that events shared has ended none. */
export function logDeath(error: unknown, ids: object): void {
  if (!(error instanceof SharedLimit))
    log("isolate_died", { ...ids, outcome: causeOfDeath(error) });
}

function causeOf(error: unknown): string {
  if (error instanceof RanTooLong) return "ran too long without yielding, as an endless loop does";
  if (error instanceof SharedLimit) return "failed at a limit that it shared with other events";
  return "crashed its isolate or the process";
}

/** The message of an event that is given up. */
export function parkedMessage(error: unknown, sourceId: string, starts: Starts): string {
  if (starts.attempts + starts.interrupted >= MAX_RUN_STARTS)
    return `The event was given up: its run was started ${MAX_RUN_STARTS} times, and interrupted or crashed each time`;
  const cause =
    error instanceof RanTooLong
      ? `a run of source ${sourceId} ran too long without yielding,`
      : "its run crashed its isolate or the process";
  return `The event was given up: ${cause} ${MAX_ATTEMPTS} times`;
}
