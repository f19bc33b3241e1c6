import type { Candidate } from "./dedupe.ts";
import { type Json, valueOf } from "./json.ts";
import { fitsBytes, MAX_EVENT_BYTES } from "./row-size.ts";

/** The failure of user code. Its exceptions leave the isolate as data. */
export type Failure = { name: string; message: string; stack: string };

/** A failure that the platform itself found: it has no stack. */
export function newFailure(name: string, message: string): Failure {
  return { name, message, stack: "" };
}

/** Maximum characters of a stored failure: at most 100,000 bytes as JSON. Harnesses truncate to less. */
const MAX_NAME_LENGTH = 256;
const MAX_MESSAGE_LENGTH = 4096;
const MAX_STACK_LENGTH = 12_288;

/** Truncate a failure so that it fits a row beside other columns. */
export function cutFailure({ name, message, stack }: Failure): Failure {
  return {
    name: name.slice(0, MAX_NAME_LENGTH),
    message: message.slice(0, MAX_MESSAGE_LENGTH),
    stack: stack.slice(0, MAX_STACK_LENGTH),
  };
}

/** `$emit(event, meta)`, before ordering and dedupe. */
export type Emission = {
  /** JSON text of the event. */
  payload: string;
  /** The time of the call of `$emit`, epoch milliseconds. */
  emittedAtMs: number;
  id?: string;
  /** Channel; the default one if absent. */
  name?: string;
  summary?: string;
  /** The time of the event as the component gave it, epoch milliseconds. */
  ts?: number;
  /** Epoch milliseconds before which the event must not be delivered. */
  deliveryTs?: number;
};

/**
 * Whether an emission can be stored: a row contains its id twice, and once in JSON, where a character may take six
 * bytes.
 */
export function isStorable({ payload, id = "", name = "", summary = "" }: Emission): boolean {
  const length = id.length + name.length + summary.length;
  if (payload.length * 3 + length * 9 <= MAX_EVENT_BYTES) return true;
  return fitsBytes(payload + name + id + JSON.stringify({ id, summary }), MAX_EVENT_BYTES);
}

/** One line a component wrote to its console. */
export type LogLine = { level: string; message: string; atMs: number };

/**
 * The emissions of one run in the order of emission: oldest first by `ts`, if there is one (docs/contract.md: Emits).
 */
export function inEmissionOrder(emissions: readonly Emission[]): (Emission & Candidate)[] {
  return emissions
    .map((emission) => ({ ...emission, atMs: emission.ts ?? emission.emittedAtMs }))
    .toSorted((a, b) => a.atMs - b.atMs);
}

/** The run and the source of an error or a log line. */
export type RunIdentity = { runId: string; sourceId: string; ownerId: string; cellId: string };

/**
 * The record in `$errors`: the shape of a workflow's error record (docs/contract.md: Records), with the source instead
 * of the workflow. `event` is JSON text of the processed event, or null.
 */
export function errorRecord(
  failure: Failure,
  { runId, sourceId, ownerId, cellId }: RunIdentity,
  { event, nowMs }: { event: string | null; nowMs: number },
): Json {
  const ts = new Date(nowMs).toISOString();
  const { name: code, message, stack } = cutFailure(failure);
  return {
    original_event: event === null ? null : valueOf(event),
    original_context: {
      id: runId,
      ts,
      source_id: sourceId,
      owner_id: ownerId,
      source_type: "source",
      verified: false,
      platform_version: "1",
    },
    error: { code, message, cellId, ts, stack },
  };
}

/** An uncaught error, as a log line. */
export function failureLine(failure: Failure, atMs: number): LogLine {
  const { name, message, stack } = cutFailure(failure);
  return { level: "error", message: stack === "" ? `${name}: ${message}` : stack, atMs };
}

/** The record in `$logs`. */
export function logRecord({ level, message, atMs }: LogLine, runId: string): Json {
  return { level, message, ts: atMs, run_id: runId };
}
