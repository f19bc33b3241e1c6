import { z } from "zod";

import { type Failure, type LogLine, newFailure } from "#domain/invocation.ts";
import { isTooDeep } from "#domain/json-depth.ts";
import { MAX_PAUSE_MS, MAX_SIDE_EFFECTS } from "#domain/workflows.ts";
import type { CustomResponse } from "#http/custom-response.ts";

import { excessOf, excessOfEvaluation, excessOfResponse } from "./outcome-bounds.ts";
import { isDbWrites, isOrdinary, isRecordOf, isText } from "./outcome-fast-path.ts";
import type { DbWrites, Evaluation, Outcome } from "./user-code.ts";

/** JSON text that every reader can parse. */
const JsonText = z.string().refine((text) => !isTooDeep(text), "is nested too deep");

const isHeader = (value: unknown) => isText(value) || (Array.isArray(value) && value.every(isText));

const Milliseconds = z.number().int();

const ResponseShape = z.object({
  status: z.number().int().min(100).max(599),
  headers: z.custom<CustomResponse["headers"]>((value) => isRecordOf(value, isHeader)),
  body: z.union([z.string(), z.instanceof(Uint8Array), z.null()]),
});

const FailureShape = z.object({ name: z.string(), message: z.string(), stack: z.string() });

const EvaluationShape = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), value: JsonText }),
  z.object({ ok: z.literal(false), failure: FailureShape }),
]);

const StepShape = z.object({
  exports: JsonText,
  input: z.object({ values: JsonText, isCut: z.boolean() }).exactOptional(),
  exit: z.string().exactOptional(),
  pause: z
    .object({
      kind: z.enum(["delay", "suspend", "rerun"]),
      ms: Milliseconds.min(1).max(MAX_PAUSE_MS),
      context: JsonText.exactOptional(),
    })
    .exactOptional(),
  sideEffects: z
    .array(z.object({ kind: z.enum(["emit", "sse", "http", "email", "s3"]), message: JsonText }))
    .max(MAX_SIDE_EFFECTS),
  files: z.array(z.object({ path: z.string(), bytes: z.instanceof(Uint8Array) })).exactOptional(),
});

/** The schema of an outcome. */
export const OutcomeShape = z.object({
  emitted: z.array(
    z.object({
      payload: JsonText,
      emittedAtMs: Milliseconds,
      id: z.string().exactOptional(),
      name: z.string().exactOptional(),
      summary: z.string().exactOptional(),
      ts: Milliseconds.exactOptional(),
      deliveryTs: Milliseconds.exactOptional(),
    }),
  ),
  db: z.custom<DbWrites>(isDbWrites),
  logs: z.array(z.object({ level: z.string(), message: z.string(), atMs: Milliseconds })),
  response: ResponseShape.optional(),
  uncaught: z.array(FailureShape).exactOptional(),
  failure: FailureShape.optional(),
  step: StepShape.optional(),
});

/**
 * Validate an isolate's outcome. User code shares the isolate with the harness and can tamper with its result, so every
 * field is checked. Throws a ZodError if the shape is wrong.
 */
export function checkedOutcome(outcome: Outcome): Outcome {
  const shaped = shapedOutcome(outcome);
  const excess = excessOf(shaped);
  if (excess === undefined) return shaped;
  return failedOutcome(
    newFailure("InvalidOutcome", `The run was not committed: it returned ${excess}`),
  );
}

function shapedOutcome(outcome: Outcome): Outcome {
  // The schema copies everything, which is too expensive for every event.
  if (isOrdinary(outcome)) return outcome;
  const { response, failure, step, ...rest } = OutcomeShape.parse(outcome);
  return {
    ...rest,
    ...(response && { response }),
    ...(failure && { failure }),
    ...(step && { step }),
  };
}

/** The runtime's errors for a message that cannot be serialized. */
const UNWRITABLE = /^Serialized RPC|could not (?:be cloned|serialize)/i;

/**
 * Wait for an outcome and validate it. One that cannot be serialized or is too large is a failure of its run,
 * not a crash of the isolate: a retry would fail in the same way.
 */
export async function outcomeOf(call: Promise<Outcome>): Promise<Outcome> {
  try {
    return checkedOutcome(await call);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return unwritable();
  }
}

/** The outcomes of a group by index. If they cannot be serialized, each `open` one is a failure. */
export async function outcomesOf(
  outcomes: Promise<Outcome[]>,
  open: ReadonlySet<number>,
): Promise<[number, Outcome][]> {
  try {
    return [...(await outcomes).entries()];
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return [...open].map((index) => [index, unwritable()]);
  }
}

/** Replaces the outcome of a run that could not be serialized. */
function unwritable(): Outcome {
  return failedOutcome(
    newFailure("OutcomeTooLarge", "The run was not committed: its outcome is too large"),
  );
}

/** Whether a call failed because its arguments or its result could not be serialized. */
function isUnwritable(error: unknown): boolean {
  return error instanceof Error && UNWRITABLE.test(error.message);
}

/** The outcome of a call that only failed, and maybe logged. */
export function failedOutcome(failure: Failure, logs: LogLine[] = []): Outcome {
  return { emitted: [], db: {}, logs, failure };
}

/** Check an evaluation, like `checkedOutcome`. */
export function checkedEvaluation(evaluation: Evaluation): Evaluation {
  const shaped = EvaluationShape.parse(evaluation);
  const excess = excessOfEvaluation(shaped);
  if (excess === undefined) return shaped;
  return { ok: false, failure: newFailure("InvalidOutcome", `It returned ${excess}`) };
}

/** Check the response of a component to its HTTP caller, like `checkedOutcome`. Throws if it exceeds a limit. */
export function checkedResponse(response: CustomResponse): CustomResponse {
  const shaped = ResponseShape.parse(response);
  const excess = excessOfResponse(shaped);
  if (excess !== undefined) throw new RangeError(`The run may not send ${excess}`);
  return shaped;
}
