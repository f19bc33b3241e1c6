import type { LogLine } from "#domain/invocation.ts";
import { RanTooLong } from "#domain/sandbox-loss.ts";

/** Maximum attempts of an event whose run crashes its isolate or process; then it becomes an error. */
export const MAX_ATTEMPTS = 3;

/** The outcome of a crashed attempt: a log line. Until the last one, nothing else shows that the source's code loops. */
export function crashedAttempt(error: unknown, attempt: number) {
  const cause =
    error instanceof RanTooLong
      ? "ran too long without yielding, as an endless loop does"
      : "crashed its isolate or the process";
  const message = `The run ${cause}: it is retried (attempt ${attempt} of ${MAX_ATTEMPTS})`;
  const line: LogLine = { level: "warn", message, atMs: Date.now() };
  return { emitted: [], db: {}, logs: [line] };
}

/** The message of an event that is given up. */
export function parkedMessage(error: unknown, sourceId: string): string {
  const cause =
    error instanceof RanTooLong
      ? `a run of source ${sourceId} ran too long without yielding,`
      : "its run crashed its isolate or the process";
  return `The event was given up: ${cause} ${MAX_ATTEMPTS} times`;
}
