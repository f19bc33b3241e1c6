import type { Failure } from "./invocation.ts";
import { toJson, type Json } from "./json.ts";
import { nextRunMs, type Schedule, secondMissMs, type Tick } from "./schedule.ts";

/** Number of failed runs in a row after which their owner is alerted. */
export const MAX_FAILURES_IN_ROW = 10;

/** The name of the failure of a run without credentials for its accounts. */
export const ACCOUNT_ERROR = "AccountError";

/** Maximum delay of a tick, in intervals. */
const MAX_INTERVALS_LATE = 2;

/** Maximum runs that one alert may lead to: an alert that fails its own listeners must end soon. */
export const MAX_RUNS_PER_ALERT = 64;

/** Maximum characters of the error in an alert. */
const MAX_NAME_LENGTH = 128;
const MAX_MESSAGE_LENGTH = 1024;

export const ALERT_KINDS = [
  "failing",
  "late",
  "account_lost",
  "webhook_disabled",
  "webhook_full",
  "event_parked",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** The resource of an alert. */
export type Subject = { type: "source" | "workflow" | "webhook"; id: string; name: string | null };

/**
 * A condition of a subject that was reported to its owner, until it ends. Of one kind there is one for each `about`.
 */
export type Alert = {
  kind: AlertKind;
  /** The timer prop or the account, if the kind has several. */
  about?: string;
  /** The begin of the condition, epoch milliseconds. */
  sinceMs: number;
  message: string;
  error?: Pick<Failure, "name" | "message">;
  details: { [key: string]: Json };
  /** The number of occurrences so far; absent from those that were opened before this was counted: once. */
  count?: number;
};

/** The alert state of a subject. */
export type AlertState = {
  /** The failed runs since the last successful one. */
  failures: { count: number; sinceMs: number } | null;
  open: Alert[];
};

export const NO_ALERTS: AlertState = { failures: null, open: [] };

/** An open alert as the directory shows it. */
type OpenAlert = {
  kind: AlertKind;
  about: string;
  sinceMs: number;
  message: string;
  error: Pick<Failure, "name" | "message"> | null;
  count: number;
};

/** The open alerts of a subject, for the directory. Of two reports, the one with the higher version is valid. */
export type AlertReport = {
  subjectId: string;
  version: number;
  open: OpenAlert[];
};

/** A new state, and the alerts to send to the owner now. */
export type AlertChange = {
  state: AlertState;
  notifications: { alert: Alert; isRecovered: boolean }[];
};

/** Count a run, failed or not. Undefined: nothing changes. */
export function afterRun(
  state: AlertState,
  failure: Failure | undefined,
  nowMs: number,
): AlertChange | undefined {
  if (!failure) return afterSuccess(state);
  const counted = afterFailure(state, failure, nowMs);
  return failure.name === ACCOUNT_ERROR
    ? bothChanges(counted, loseAccount(counted?.state ?? state, failure, nowMs))
    : counted;
}

function afterSuccess(state: AlertState): AlertChange | undefined {
  if (state.failures === null) return undefined;
  const failing = recover(state, "failing") ?? { state, notifications: [] };
  const isKnown = state.open.some(
    ({ kind, details }) => kind === "account_lost" && isNamed(details),
  );
  const found = isKnown ? undefined : recover(failing.state, "account_lost");
  const change = bothChanges(failing, found) ?? failing;
  return { ...change, state: { ...change.state, failures: null } };
}

/** Whether an alert names the lost accounts. */
export function isNamed(details: Alert["details"]): boolean {
  return details["accounts"] !== undefined;
}

/** The fields of an alert about a lost account. */
const ACCOUNT_LOST = {
  kind: "account_lost",
  message:
    "An account has no valid credentials: it was deleted, revoked or has expired. Connect the account again, or choose another one; the alert ends with that, or with the next run that succeeds.",
} as const;

function loseAccount(state: AlertState, failure: Failure, nowMs: number): AlertChange | undefined {
  return raise(state, lostAccountAlert(cut(failure), nowMs));
}

/** The alert about a run without credentials for an account. */
export function lostAccountAlert(error: Pick<Failure, "name" | "message">, sinceMs: number): Alert {
  return { ...ACCOUNT_LOST, sinceMs, error, details: {} };
}

/**
 * Record a subject's lost accounts without a run that needed them. An alert about such accounts ends only when none is
 * lost: a run may succeed meanwhile, with a token that has not expired yet. Undefined: nothing changes.
 */
export function afterAccountCheck(
  state: AlertState,
  lost: readonly string[],
  nowMs: number,
): AlertChange | undefined {
  if (lost.length === 0) return recover(state, ACCOUNT_LOST.kind);
  const details = { accounts: [...lost] };
  const open = state.open.find(({ kind }) => kind === ACCOUNT_LOST.kind);
  if (!open) return raise(state, { ...ACCOUNT_LOST, sinceMs: nowMs, details });
  if (toJson<Json>(open.details) === toJson<Json>(details)) return undefined;
  return { state: withOpen(state, open, { ...open, details }), notifications: [] };
}

/** Combine a change and another one that began with its result. */
export function bothChanges(
  first: AlertChange | undefined,
  second: AlertChange | undefined,
): AlertChange | undefined {
  return first && second
    ? { state: second.state, notifications: [...first.notifications, ...second.notifications] }
    : (second ?? first);
}

function afterFailure(state: AlertState, failure: Failure, nowMs: number): AlertChange | undefined {
  const { count, sinceMs } = state.failures ?? { count: 0, sinceMs: nowMs };
  const counted = { ...state, failures: { count: count + 1, sinceMs } };
  if (count + 1 < MAX_FAILURES_IN_ROW) return { state: counted, notifications: [] };
  return raise(counted, failingAlert({ count: count + 1, sinceMs }, cut(failure)));
}

/** The alert about failed runs in a row. */
export function failingAlert(
  { count, sinceMs }: { count: number; sinceMs: number },
  error: Alert["error"],
): Alert {
  return {
    kind: "failing",
    sinceMs,
    message: `The last ${MAX_FAILURES_IN_ROW} runs failed. Read its $errors, fix the cause and deploy it again; the alert ends with the next run that succeeds.`,
    ...(error && { error }),
    details: { failures: count },
    count,
  };
}

/** Record that a tick begins. Undefined: nothing changes. */
export function afterTick(state: AlertState, tick: Tick, nowMs: number): AlertChange | undefined {
  const { prop, dueMs, schedule } = tick;
  if (!isLate(schedule, dueMs, nowMs))
    return hasMissedTwo(tick, nowMs) ? undefined : recover(state, "late", prop);
  const lateSeconds = Math.floor((nowMs - dueMs) / 1000);
  const message = `A tick of "${prop}" began ${lateSeconds} s late. The platform was down or busy: check the ticks that were missed; the alert ends with the next tick in time.`;
  return raise(state, lateAlert(tick, { lateSeconds, message }));
}

/** Alert about timers that missed two ticks, which have not begun yet. Undefined: nothing changes. */
export function afterMissedTicks(
  state: AlertState,
  timers: readonly Tick[],
  nowMs: number,
): AlertChange | undefined {
  let change: AlertChange | undefined;
  for (const tick of timers.filter((one) => hasMissedTwo(one, nowMs))) {
    const alert = missedAlert(tick, nowMs);
    const before = change?.state ?? state;
    if (!before.open.some((one) => isSame(one, alert)))
      change = bothChanges(change, raise(before, alert));
  }
  return change;
}

function missedAlert(tick: Tick, nowMs: number): Alert {
  const lateSeconds = Math.floor((nowMs - tick.dueMs) / 1000);
  const message = `"${tick.prop}" missed two ticks, the first one ${lateSeconds} s ago, and was started again. Check what was missed; the alert ends with the next tick in time.`;
  return lateAlert(tick, { lateSeconds, message });
}

function lateAlert(
  { prop, dueMs }: Tick,
  { lateSeconds, message }: { lateSeconds: number; message: string },
): Alert {
  const details = { prop, due: new Date(dueMs).toISOString(), late_seconds: lateSeconds };
  return { kind: "late", about: prop, sinceMs: dueMs, message, details };
}

/** Whether a tick that has not begun is so late that the next one is due, too. */
function hasMissedTwo(tick: Tick, nowMs: number): boolean {
  return (secondMissMs(tick) ?? Infinity) <= nowMs;
}

/** Set the current timers: a removed one is no longer late. Undefined: nothing changes. */
export function afterTimers(state: AlertState, props: readonly string[]): AlertChange | undefined {
  let change: AlertChange | undefined;
  for (const { kind, about = "" } of state.open)
    if (kind === "late" && !props.includes(about))
      change = bothChanges(change, recover(change?.state ?? state, kind, about)) ?? change;
  return change;
}

/** Whether a due tick begins more than two intervals late. */
function isLate(schedule: Schedule, dueMs: number, nowMs: number): boolean {
  let latestMs = dueMs;
  for (let each = 0; each < MAX_INTERVALS_LATE; each += 1) {
    const next = nextRunMs(schedule, latestMs, latestMs);
    if (next === undefined) return false;
    latestMs = next;
  }
  return nowMs > latestMs;
}

/** Open an alert. If it is open, count it again and send no notification. */
export function raise(state: AlertState, alert: Alert): AlertChange {
  const open = state.open.find((one) => isSame(one, alert));
  if (open) {
    const { sinceMs } = open;
    const details = isNamed(open.details) ? open.details : alert.details;
    const again = { ...alert, sinceMs, details, count: alert.count ?? countOf(open) + 1 };
    return { state: withOpen(state, open, again), notifications: [] };
  }
  return {
    state: { ...state, open: [...state.open, alert] },
    notifications: [{ alert, isRecovered: false }],
  };
}

/** The number of occurrences of a condition so far. */
export function countOf({ count = 1 }: Pick<Alert, "count">): number {
  return count;
}

function withOpen(state: AlertState, open: Alert, instead: Alert): AlertState {
  return { ...state, open: state.open.map((one) => (one === open ? instead : one)) };
}

/** Close an alert. Undefined: none is open. */
export function recover(
  state: AlertState,
  kind: AlertKind,
  about?: string,
): AlertChange | undefined {
  const alert = state.open.find((one) => isSame(one, { kind, about }));
  if (!alert) return undefined;
  const open = state.open.filter((one) => one !== alert);
  return { state: { ...state, open }, notifications: [{ alert, isRecovered: true }] };
}

/** The body of an alert's event (docs/contract.md: Alerts). */
export function alertBody(subject: Subject, alert: Alert, recoveredMs: number | null): string {
  const { kind, sinceMs, message, error, details } = alert;
  return toJson<Json>({
    kind,
    recovered: recoveredMs !== null,
    message: recoveredMs === null ? message : RECOVERED[kind],
    subject,
    since: new Date(sinceMs).toISOString(),
    ...(recoveredMs !== null && { until: new Date(recoveredMs).toISOString() }),
    error: error ?? null,
    details,
  });
}

/** The id of an alert's event: the same for every attempt to send it. */
export function alertId(
  { id }: Pick<Subject, "id">,
  { kind, about, sinceMs }: Pick<Alert, "kind" | "about" | "sinceMs">,
  isRecovered: boolean,
): string {
  const parts = ["alert", id, kind, ...(about === undefined ? [] : [about]), sinceMs];
  return [...parts, isRecovered ? "recovered" : "raised"].join("-");
}

const RECOVERED: Record<AlertKind, string> = {
  failing: "A run succeeded again. Nothing needs to be done.",
  late: "The timer ticks in time again, or was removed. Nothing needs to be done.",
  account_lost: "Its accounts have valid credentials again. Nothing needs to be done.",
  webhook_disabled: "The webhook is active again. Deliveries that were given up can be replayed.",
  webhook_full: "The webhook takes events again. Nothing needs to be done.",
  event_parked: "No event was parked for an hour. Nothing needs to be done.",
};

function isSame(one: Pick<Alert, "kind"> & { about?: string | undefined }, other: typeof one) {
  return one.kind === other.kind && one.about === other.about;
}

/** The part of a failure that alerts contain. */
export function cut({ name, message }: Failure): Pick<Failure, "name" | "message"> {
  return { name: name.slice(0, MAX_NAME_LENGTH), message: message.slice(0, MAX_MESSAGE_LENGTH) };
}
