import type { Candidate } from "./dedupe.ts";
import type { Json } from "./json.ts";

/** Why user code failed. Its exceptions cross the isolate as data. */
export type Failure = { name: string; message: string; stack: string };

/** `$emit(event, meta)`, before ordering and dedupe. */
export type Emission = {
  /** JSON text of the event. */
  payload: string;
  /** When `$emit` was called, epoch milliseconds. */
  emittedAtMs: number;
  id?: string;
  /** Channel; the default one when absent. */
  name?: string;
  summary?: string;
  /** Epoch milliseconds that the component says the event is of. */
  ts?: number;
  /** Epoch milliseconds before which the event must not be delivered. */
  deliveryTs?: number;
};

/** One line a component wrote to its console. */
export type LogLine = { level: string; message: string; atMs: number };

/** The emissions of one run in the order they go out: oldest first by `ts`, where there is one (spec: Emitting events). */
export function inEmissionOrder(emissions: readonly Emission[]): (Emission & Candidate)[] {
  return emissions
    .map((emission) => ({ ...emission, atMs: emission.ts ?? emission.emittedAtMs }))
    .toSorted((a, b) => a.atMs - b.atMs);
}

/** Which run of which source an error or a log line is of. */
export type RunIdentity = { runId: string; sourceId: string; ownerId: string; cellId: string };

/**
 * The record that goes to `$errors`: the shape of a workflow's error record (spec: Workflow error record), with
 * the source in place of the workflow. `event` is JSON text of what was being worked on, or null.
 */
export function errorRecord(
  failure: Failure,
  { runId, sourceId, ownerId, cellId }: RunIdentity,
  { event, nowMs }: { event: string | null; nowMs: number },
): Json {
  const ts = new Date(nowMs).toISOString();
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns Json.
    original_event: event === null ? null : (JSON.parse(event) as Json),
    original_context: {
      id: runId,
      ts,
      source_id: sourceId,
      owner_id: ownerId,
      source_type: "source",
      verified: false,
      platform_version: "1",
    },
    error: { code: failure.name, message: failure.message, cellId, ts, stack: failure.stack },
  };
}

/** An error that nobody caught, as a line of the log. */
export function failureLine({ name, message, stack }: Failure, atMs: number): LogLine {
  return { level: "error", message: stack === "" ? `${name}: ${message}` : stack, atMs };
}

/** The record that goes to `$logs`. */
export function logRecord({ level, message, atMs }: LogLine, runId: string): Json {
  return { level, message, ts: atMs, run_id: runId };
}
