import { z } from "zod";

import { type Failure, type LogLine, newFailure } from "#domain/invocation.ts";
import { isTooDeep } from "#domain/json-depth.ts";
import { MAX_PAUSE_MS, MAX_SIDE_EFFECTS } from "#domain/workflows.ts";
import type { CustomResponse } from "#http/custom-response.ts";

import { excessOf } from "./outcome-bounds.ts";
import { isDbWrites, isOrdinary, isRecordOf, isText } from "./outcome-fast-path.ts";
import type { DbWrites, Evaluation, Outcome } from "./user-code.ts";

/** JSON text, which every reader of it must survive. */
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
});

/** What an outcome has to look like, whatever it came to. */
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
 * Check what came out of an isolate. User code shares it with the harness and can tamper with what the harness
 * says, so nothing of it is believed before it has this shape. Throws a ZodError where it has not.
 */
export function checkedOutcome(outcome: Outcome): Outcome {
  const shaped = shapedOutcome(outcome);
  const excess = excessOf(shaped);
  if (excess === undefined) return shaped;
  return failedOutcome(
    newFailure("InvalidOutcome", `The run was not committed: it left ${excess}`),
  );
}

function shapedOutcome(outcome: Outcome): Outcome {
  // The schema builds a copy of everything, which is too much to do for every event.
  if (isOrdinary(outcome)) return outcome;
  const { response, failure, step, ...rest } = OutcomeShape.parse(outcome);
  return {
    ...rest,
    ...(response && { response }),
    ...(failure && { failure }),
    ...(step && { step }),
  };
}

/** What the runtime says of a message that one side of a call cannot write. */
const UNWRITABLE = /^Serialized RPC|could not (?:be cloned|serialize)/i;

/**
 * Wait for an outcome and check it. One that does not fit a call, or that nothing can be made of, is a failure of its run,
 * not the death of an isolate: the next attempt would come to the same.
 */
export async function outcomeOf(call: Promise<Outcome>): Promise<Outcome> {
  try {
    return checkedOutcome(await call);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return unwritable();
  }
}

/** The outcome of a run whose own could not be written. */
export function unwritable(): Outcome {
  return failedOutcome(
    newFailure("OutcomeTooLarge", "The run was not committed: it left too much"),
  );
}

/** Whether a call failed because its arguments or its result could not be written. */
export function isUnwritable(error: unknown): boolean {
  return error instanceof Error && UNWRITABLE.test(error.message);
}

/** The outcome of a call that did nothing but fail, and maybe log. */
export function failedOutcome(failure: Failure, logs: LogLine[] = []): Outcome {
  return { emitted: [], db: {}, logs, failure };
}

/** Check an evaluation, as `checkedOutcome` does. */
export function checkedEvaluation(evaluation: Evaluation): Evaluation {
  return EvaluationShape.parse(evaluation);
}

/** Check what a component responds to its HTTP caller, as `checkedOutcome` does. */
export function checkedResponse(response: CustomResponse): CustomResponse {
  return ResponseShape.parse(response);
}
