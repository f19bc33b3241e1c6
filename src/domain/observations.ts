import type { Failure, LogLine } from "./invocation.ts";

/** A log line or an error of an action's run. `k`: its kind; `ts`: epoch milliseconds. */
export type Observation = { k: string; ts: number; msg?: string; err?: Failure };

/** The log lines and errors of a run, in order of time. `endedMs`: the end of the run. */
export function observationsOf(
  { logs, failures }: { logs: readonly LogLine[]; failures: readonly Failure[] },
  endedMs: number,
): Observation[] {
  const lines = logs.map(({ level, message, atMs }) => ({
    k: `console.${level === "info" ? "log" : level}`,
    ts: atMs,
    msg: message,
  }));
  const errors = failures.map((err) => ({ k: "error", ts: endedMs, err }));
  return [...lines.toSorted((a, b) => a.ts - b.ts), ...errors];
}
