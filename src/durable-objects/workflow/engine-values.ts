import { type Failure, newFailure } from "#domain/invocation.ts";
import { fromJson, type Json, type JsonOf } from "#domain/json.ts";

import type { StepOutcome } from "./contract.ts";
import type { Resumption } from "./pauses.ts";

/** The engine stores 1 MiB of a step's result or of an event; our part stays below this. */
export const MAX_ENGINE_BYTES = 1_040_000;

/** Maximum bytes of that for the failure and the small fields of an outcome. */
const FAILURE_BYTES = 20_000;

/** Minimum time that the engine waits for an event. */
export const MIN_PAUSE_MS = 1000;

/** Text for the engine as UTF-8: as a string it may take two bytes for each character, and as JSON two for a quote. */
type Kept = { exports: Uint8Array; rest: Uint8Array };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Encode an outcome for the engine. */
export function keptOutcome({ exports, ...rest }: StepOutcome): Kept {
  return { exports: encoder.encode(exports), rest: encoder.encode(JSON.stringify(rest)) };
}

/** Decode an outcome from the engine; an older release stored it unencoded. */
export function outcomeIn(kept: Kept | StepOutcome): StepOutcome {
  if (!("rest" in kept)) return kept;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `keptOutcome`.
  const rest = fromJson(decoder.decode(kept.rest) as JsonOf<Omit<StepOutcome, "exports">>);
  return { ...rest, exports: decoder.decode(kept.exports) };
}

/** The failure of a step with a result that is too large for the engine; undefined if it is not. */
export function tooLarge(exports: string, others: Json[]): Failure | undefined {
  const bytes = Buffer.byteLength(exports) + Buffer.byteLength(JSON.stringify(others));
  const allowed = MAX_ENGINE_BYTES - FAILURE_BYTES;
  if (bytes <= allowed) return undefined;
  const message = `The step takes ${bytes} bytes of exports, messages and state for its next run; ${allowed} are allowed`;
  return newFailure("RangeError", message);
}

/** The event that ends a pause. */
export type ResumeEvent = { action: Resumption["action"]; request: string | Uint8Array };

/** The event that ends a pause, encoded for the engine; undefined if it is too large. */
export function resumeEvent({ action, request }: Resumption): ResumeEvent | undefined {
  const bytes = encoder.encode(request);
  return bytes.length > MAX_ENGINE_BYTES ? undefined : { action, request: bytes };
}

/** Decode the event that ended a pause. */
export function resumptionIn({ action, request }: ResumeEvent): Resumption {
  return { action, request: typeof request === "string" ? request : decoder.decode(request) };
}
