import {
  ACCOUNT_ERROR,
  type Alert,
  type AlertChange,
  type AlertState,
  bothChanges,
  countOf,
  cut,
  failingAlert,
  isNamed,
  lostAccountAlert,
  MAX_FAILURES_IN_ROW,
  NO_ALERTS,
  raise,
  recover,
} from "./alerts.ts";
import type { Failure } from "./invocation.ts";
import { afterRunOrParking, lastMs, PARKED_KIND, PARKED_QUIET_MS } from "./parked-events.ts";

/** A failed run. */
type FailedRun = { atMs: number; error: Pick<Failure, "name" | "message"> };

/** The results of one shard's runs, as far as the alerts of its source depend on them. */
export type ShardRuns = {
  /** The alerts that would be open if the source had this shard alone. */
  state: AlertState;
  /** The last failed runs since a successful one, oldest first. */
  failed: FailedRun[];
  /** The time of the last successful run after a failed one; 0: unknown. */
  succeededMs: number;
};

/** The kinds of alerts that a successful run ends. */
const ENDED_BY_SUCCESS: ReadonlySet<Alert["kind"]> = new Set([
  "failing",
  "account_lost",
  PARKED_KIND,
]);

/** Those of a shard without failed runs. */
export const NO_RUNS: ShardRuns = { state: NO_ALERTS, failed: [], succeededMs: 0 };

/** Count an ended run, or a parked event. Undefined: nothing changes. */
export function countRun(
  runs: ShardRuns = NO_RUNS,
  failure: Failure | undefined,
  { isRun, nowMs }: { isRun: boolean; nowMs: number },
): ShardRuns | undefined {
  const change = afterRunOrParking(runs.state, failure, { isRun, nowMs });
  if (!change) return undefined;
  const { state } = change;
  if (!isRun) return { ...runs, state };
  if (!failure) return { state, failed: [], succeededMs: nowMs };
  const failed = [...runs.failed, { atMs: nowMs, error: cut(failure) }];
  return { ...runs, state, failed: failed.slice(-MAX_FAILURES_IN_ROW) };
}

/**
 * The alerts of a source by the runs of all of its shards; `succeededMs`: the time of the last successful run of any.
 * Undefined: nothing changes.
 */
export function afterShardRuns(
  state: AlertState,
  shards: readonly ShardRuns[],
  succeededMs: number,
): AlertChange | undefined {
  const latestMs = latestOf(shards, succeededMs);
  const row = rowOf(shards, latestMs);
  const failures = row.count === 0 ? null : { count: row.count, sinceMs: row.sinceMs };
  const isCounted = state.failures?.count === failures?.count;
  const counted = isCounted ? undefined : { state: { ...state, failures }, notifications: [] };
  const decisions = [
    ofFailures(row, latestMs),
    ofLostAccounts(shards, latestMs),
    ofParkedEvents(shards, latestMs),
  ];
  let change: AlertChange | undefined = counted;
  for (const decide of decisions) change = bothChanges(change, decide(change?.state ?? state));
  return change;
}

/** Whether the alerts depend on the last successful run of shards that report none: it ends an alert, or prevents one. */
export function needsSuccesses(
  state: AlertState,
  shards: readonly ShardRuns[],
  succeededMs: number,
): boolean {
  const isOpen = state.open.some(({ kind }) => ENDED_BY_SUCCESS.has(kind));
  return isOpen || rowOf(shards, latestOf(shards, succeededMs)).count >= MAX_FAILURES_IN_ROW;
}

function latestOf(shards: readonly ShardRuns[], succeededMs: number): number {
  return Math.max(succeededMs, ...shards.map((one) => one.succeededMs));
}

type Row = { count: number; sinceMs: number; error?: FailedRun["error"] | undefined };
type Decide = (state: AlertState) => AlertChange | undefined;

/** The failed runs of all shards after a time. */
function rowOf(shards: readonly ShardRuns[], afterMs: number): Row {
  const rows = shards.map((one) => rowIn(one, afterMs));
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  const sinceMs = Math.min(...rows.map((row) => row.sinceMs));
  return { count, sinceMs, error: failedAfter(shards, afterMs).at(-1)?.error };
}

function rowIn({ state: { failures }, failed }: ShardRuns, afterMs: number): Row {
  if (failures && failures.sinceMs > afterMs) return failures;
  const later = failed.filter(({ atMs }) => atMs > afterMs);
  return { count: later.length, sinceMs: later[0]?.atMs ?? Infinity };
}

/** The last failed runs of all shards after a time, oldest first. */
function failedAfter(shards: readonly ShardRuns[], afterMs: number): FailedRun[] {
  return shards
    .flatMap(({ failed }) => failed)
    .filter(({ atMs }) => atMs > afterMs)
    .toSorted((a, b) => a.atMs - b.atMs);
}

function ofFailures({ count, sinceMs, error }: Row, latestMs: number): Decide {
  return (state) => {
    const { open, ended } = openSince(state, "failing", latestMs);
    if (count < MAX_FAILURES_IN_ROW || (open && countOf(open) === count)) return ended;
    return thenRaise(ended, state, failingAlert({ count, sinceMs }, error));
  };
}

function ofLostAccounts(shards: readonly ShardRuns[], latestMs: number): Decide {
  const lost = failedAfter(shards, latestMs).filter(({ error }) => error.name === ACCOUNT_ERROR);
  const [first, last] = [lost[0], lost.at(-1)];
  return (state) => {
    const { open, ended } = openSince(state, "account_lost", latestMs);
    if (!first || !last || (open && countOf(open) >= lost.length)) return ended;
    const alert = { ...lostAccountAlert(last.error, first.atMs), count: lost.length };
    return thenRaise(ended, state, alert);
  };
}

/** The open alert of a kind, or its end, if a run succeeded since then. One that names accounts is ended by a check of these. */
function openSince(
  state: AlertState,
  kind: Alert["kind"],
  latestMs: number,
): { open?: Alert | undefined; ended?: AlertChange | undefined } {
  const open = state.open.find((one) => one.kind === kind);
  if (!open || isNamed(open.details) || latestMs <= open.sinceMs) return { open };
  return { ended: recover(state, kind) };
}

function thenRaise(
  ended: AlertChange | undefined,
  state: AlertState,
  alert: Alert,
): AlertChange | undefined {
  return bothChanges(ended, raise(ended?.state ?? state, alert));
}

function ofParkedEvents(shards: readonly ShardRuns[], latestMs: number): Decide {
  const isOver = (alert: Alert): boolean => latestMs - lastMs(alert) >= PARKED_QUIET_MS;
  const parked = shards
    .flatMap(({ state }) => state.open.filter(({ kind }) => kind === PARKED_KIND))
    .filter((alert) => !isOver(alert))
    .toSorted((a, b) => lastMs(a) - lastMs(b));
  const last = parked.at(-1);
  const count = parked.reduce((sum, one) => sum + countOf(one), 0);
  return (state) => {
    const open = state.open.find(({ kind }) => kind === PARKED_KIND);
    if (!last) return open && isOver(open) ? recover(state, PARKED_KIND) : undefined;
    return open && countOf(open) === count ? undefined : raise(state, { ...last, count });
  };
}
