import {
  type Alert,
  type AlertChange,
  type AlertState,
  afterRun,
  bothChanges,
  raise,
  recover,
} from "./alerts.ts";
import type { Failure } from "./invocation.ts";

/** An event whose runs crashed their isolate or the process too often. */
export const RUN_ABANDONED = "RunAbandoned";

/** The failures that park an event: it is not run again, and only its record in `$errors` remains. */
const PARKED: ReadonlySet<string> = new Set([RUN_ABANDONED, "TooManyHops", "TooManyRuns"]);

/** The kind of the alert about parked events. */
export const PARKED_KIND = "event_parked";

const MESSAGE =
  "An event was parked: it is not run again. Read the record in $errors, end the loop or mend the code, and send the event again; the alert ends with the first run that succeeds an hour after the last such event.";

/** An alert about parked events ends this long after the last one: a loop parks one in each of its rounds. */
export const PARKED_QUIET_MS = 60 * 60_000;

/** Whether a failure, by its name, parks the event. */
export function isParking(code: string): boolean {
  return PARKED.has(code);
}

/** Count an ended run, and alert the owner of a parked event. Undefined: nothing changes. */
export function afterRunOrParking(
  state: AlertState,
  failure: Failure | undefined,
  { isRun, nowMs }: { isRun: boolean; nowMs: number },
): AlertChange | undefined {
  const counted = isRun ? afterRun(state, failure, nowMs) : undefined;
  return bothChanges(counted, ofParking(counted?.state ?? state, failure, { isRun, nowMs }));
}

function ofParking(
  state: AlertState,
  failure: Failure | undefined,
  { isRun, nowMs }: { isRun: boolean; nowMs: number },
): AlertChange | undefined {
  if (failure && isParking(failure.name)) {
    const { name, message } = failure;
    const details = { last: new Date(nowMs).toISOString() };
    const error = { name, message: message.slice(0, 1024) };
    return raise(state, { kind: PARKED_KIND, sinceMs: nowMs, message: MESSAGE, error, details });
  }
  const open = state.open.find(({ kind }) => kind === PARKED_KIND);
  const isOver = isRun && !failure && open && nowMs - lastMs(open) >= PARKED_QUIET_MS;
  return isOver ? recover(state, PARKED_KIND) : undefined;
}

/** The time of the last occurrence of an alert, epoch milliseconds. */
export function lastMs({ details, sinceMs }: Alert): number {
  const { last } = details;
  return typeof last === "string" ? Date.parse(last) : sinceMs;
}
