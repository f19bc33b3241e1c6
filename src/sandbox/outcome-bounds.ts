import type { Emission, Failure, LogLine } from "#domain/invocation.ts";
import { isTooDeep } from "#domain/json-depth.ts";
import { fitsBytes } from "#domain/row-size.ts";
import { excessOfStash } from "#domain/stash.ts";
import type { CustomResponse } from "#http/custom-response.ts";

import type { Evaluation, Outcome, StepResult } from "./user-code.ts";

const KB = 1024;
const MB = 1024 * KB;

// The limits of the harness (`worker-templates/`), which throws inside of the component. They are checked again here,
// because a component can tamper with the harness.
const MAX_EMISSIONS = 10_000;
const MAX_EMIT_BYTES = MB;
const MAX_META_BYTES = 256 * KB;
const MAX_EMITTED_BYTES = 16 * MB;
const MAX_DB_VALUE_BYTES = MB;
export const MAX_DB_BYTES = 8 * MB;
const MAX_UNCAUGHT = 10;
const MAX_EXPORTS_BYTES = MB;
/** Four times the harness's count of characters: JSON escapes in names, and UTF-8. */
const MAX_INPUT_BYTES = 256 * KB;
const MAX_SIDE_EFFECT_BYTES = MB;
const MAX_EXIT_LENGTH = 4096;
const MAX_PAUSE_CONTEXT_BYTES = MB;
const MAX_RESPONSE_BYTES = 28 * MB;
const MAX_RESPONSE_HEADERS = 1000;
/** Far more than a definition may have, or a form can show as choices. */
const MAX_EVALUATION_BYTES = 8 * MB;

/** A run's lines, including those about lost events, each with its mark of truncation. */
const MAX_LINES = 210;
const MAX_LINE_LENGTH = 4096 + 64;
const MAX_LEVEL_LENGTH = 16;

const MAX_NAME_LENGTH = 256;
const MAX_MESSAGE_LENGTH = 4096;
const MAX_STACK_LENGTH = 8192;

/** The first limit that a well-formed outcome exceeds, as a phrase; undefined if it exceeds none. */
export function excessOf(outcome: Outcome): string | undefined {
  const { emitted, db, logs, response, step } = outcome;
  return (
    excessOfEmitted(emitted) ??
    excessOfDb(db) ??
    excessOfLog(logs) ??
    excessOfFailures(outcome) ??
    (response && excessOfResponse(response)) ??
    (step && excessOfStep(step))
  );
}

function excessOfEmitted(emitted: readonly Emission[]): string | undefined {
  if (emitted.length > MAX_EMISSIONS) return "more events than a run may emit";
  let length = 0;
  for (const emission of emitted) {
    const excess = excessOfEmission(emission);
    if (excess !== undefined) return excess;
    length += emission.payload.length + metaOf(emission).length;
  }
  // Most runs emit so little that two bytes a character are within the limit.
  const isOver = length * 2 > MAX_EMITTED_BYTES && emittedBytes(emitted) > MAX_EMITTED_BYTES;
  return isOver ? "events of more than 16 MB" : undefined;
}

function emittedBytes(emitted: readonly Emission[]): number {
  return emitted.reduce(
    (sum, emission) => sum + wireBytes(emission.payload) + wireBytes(metaOf(emission)),
    0,
  );
}

function metaOf({ id = "", name = "", summary = "" }: Emission): string {
  return id + name + summary;
}

/** The bytes of text in an RPC message: two per character if any is beyond Latin-1. */
function wireBytes(text: string): number {
  return text.length * (/[\u0100-\uffff]/.test(text) ? 2 : 1);
}

function excessOfEmission(emission: Emission) {
  const { payload, name = "" } = emission;
  const meta = metaOf(emission);
  if (!fitsBytes(payload, MAX_EMIT_BYTES)) return "an event that is larger than 1 MB";
  if (name.startsWith("$")) return "an event on a channel of the platform";
  if (meta.length * 2 > MAX_META_BYTES && wireBytes(meta) > MAX_META_BYTES)
    return "an event whose id, name and summary are larger than they may be";
  return isJson(payload) ? undefined : "an event that is not JSON";
}

function excessOfDb(db: Outcome["db"]): string | undefined {
  let bytes = 0;
  for (const key in db) {
    const problem = problemOfWrite(key, db[key] ?? null);
    if (problem !== undefined) return problem;
    bytes += key.length + (db[key]?.length ?? 0);
  }
  return bytes > MAX_DB_BYTES ? "more in $.service.db than 8 MB" : undefined;
}

/** The rule that a write to `$.service.db` breaks; undefined if it breaks none. */
export function problemOfWrite(key: string, value: string | null): string | undefined {
  if (!fitsBytes(key + (value ?? ""), MAX_DB_VALUE_BYTES))
    return "a value of $.service.db that is larger than 1 MB";
  if (value !== null && isTooDeep(value)) return "a value of $.service.db that is nested too deep";
  return value === null || isJson(value) ? undefined : "a value of $.service.db that is not JSON";
}

/** The limit that a response exceeds: its size is counted like in the harness, two bytes a character. */
export function excessOfResponse({ headers, body }: CustomResponse): string | undefined {
  const values = Object.values(headers).flat();
  if (values.length > MAX_RESPONSE_HEADERS) return "a response of more than 1,000 headers";
  const texts = [...Object.keys(headers), ...values];
  const bytes = typeof body === "string" ? body.length * 2 : (body?.byteLength ?? 0);
  const size = texts.reduce((sum, text) => sum + text.length * 2, bytes);
  return size > MAX_RESPONSE_BYTES ? "a response of more than 28 MB" : undefined;
}

/** The limit that a well-formed evaluation exceeds, as a phrase; undefined if it exceeds none. */
export function excessOfEvaluation(evaluation: Evaluation): string | undefined {
  if (!evaluation.ok)
    return isBrief(evaluation.failure) ? undefined : "an error that is longer than it may be";
  if (!fitsBytes(evaluation.value, MAX_EVALUATION_BYTES)) return "a value that is larger than 8 MB";
  return isJson(evaluation.value) ? undefined : "a value that is not JSON";
}

/** The bytes of the keys and values that a call set. */
export function writtenBytes(writes: Outcome["db"]): number {
  return Object.entries(writes).reduce(
    (sum, [key, value]) =>
      sum + (value === null ? 0 : Buffer.byteLength(key) + Buffer.byteLength(value)),
    0,
  );
}

function excessOfLog(lines: readonly LogLine[]): string | undefined {
  if (lines.length > MAX_LINES) return "more log lines than a run may write";
  for (const { level, message } of lines)
    if (level.length > MAX_LEVEL_LENGTH || message.length > MAX_LINE_LENGTH)
      return "log lines that are longer than they may be";
  return undefined;
}

function excessOfFailures({ uncaught = [], failure }: Outcome): string | undefined {
  if (uncaught.length > MAX_UNCAUGHT) return "more errors than a run may leave";
  const areBrief = uncaught.every(isBrief) && (failure === undefined || isBrief(failure));
  return areBrief ? undefined : "an error that is longer than it may be";
}

function isBrief({ name, message, stack }: Failure): boolean {
  return (
    name.length <= MAX_NAME_LENGTH &&
    message.length <= MAX_MESSAGE_LENGTH &&
    stack.length <= MAX_STACK_LENGTH
  );
}

function excessOfInput({ input: { values } = { values: "{}", isCut: false } }: StepResult) {
  if (!fitsBytes(values, MAX_INPUT_BYTES)) return "computed props that are larger than 256 KB";
  return isJson(values) ? undefined : "computed props that are not JSON";
}

function excessOfEnd({ exit = "", pause }: StepResult): string | undefined {
  if (exit.length > MAX_EXIT_LENGTH) return "a reason to exit that is longer than it may be";
  const { context = "null" } = pause ?? {};
  if (!fitsBytes(context, MAX_PAUSE_CONTEXT_BYTES))
    return "a context to rerun with that is larger than 1 MB";
  return isJson(context) ? undefined : "a context to rerun with that is not JSON";
}

function excessOfStep(step: StepResult): string | undefined {
  const { exports, sideEffects, files = [] } = step;
  if (!fitsBytes(exports, MAX_EXPORTS_BYTES + KB)) return "exports that are larger than 1 MB";
  const excess = excessOfInput(step) ?? excessOfEnd(step);
  if (excess !== undefined) return excess;
  const texts = [exports, ...sideEffects.map(({ message }) => message)];
  if (!sideEffects.every(({ message }) => fitsBytes(message, MAX_SIDE_EFFECT_BYTES)))
    return "a message to send that is larger than 1 MB";
  if (!texts.every(isJson)) return "text that is not JSON";
  return excessOfStash(files);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
