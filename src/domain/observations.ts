import type { Failure, LogLine } from "./invocation.ts";

/** Something that a run of an action logged, or that went wrong in it. `k`: which; `ts`: epoch milliseconds. */
export type Observation = { k: string; ts: number; msg?: string; err?: Failure };

/** The log lines and errors of a run, in the order of time. `endedMs`: when it ended. */
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
