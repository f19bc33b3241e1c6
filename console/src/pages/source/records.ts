import type { EventSummary } from "../../api/sources.ts";

/** A line of a run's console. */
export type LogRecord = { level: string; message: string; runId: string };

/** The error of a run, with its event. */
export type ErrorRecord = {
  code: string;
  message: string;
  stack: string;
  runId: string;
  originalEvent: unknown;
};

/** The payload of an event of `$logs`. */
export function logOf({ event }: EventSummary): LogRecord {
  const record = objectOf(event);
  return {
    level: textOf(record["level"]) || "info",
    message: textOf(record["message"]),
    runId: textOf(record["run_id"]),
  };
}

/** The payload of an event of `$errors`. */
export function errorRecordOf({ event }: EventSummary): ErrorRecord {
  const record = objectOf(event);
  const error = objectOf(record["error"]);
  return {
    code: textOf(error["code"]) || "Error",
    message: textOf(error["message"]),
    stack: textOf(error["stack"]),
    runId: textOf(objectOf(record["original_context"])["id"]),
    originalEvent: record["original_event"],
  };
}

function objectOf(value: unknown): Record<string, unknown> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object's values are unknown until they are checked.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
