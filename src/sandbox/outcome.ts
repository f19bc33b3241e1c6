import { z } from "zod";

import { LONGEST_PAUSE_MS, MOST_SENDINGS } from "../domain/workflows.ts";
import { isOrdinary } from "./ordinary.ts";
import type { Answer, CustomResponse, Outcome } from "./user-code.ts";

const Milliseconds = z.number().int();

const ResponseShape = z.object({
  status: z.number().int().min(100).max(599),
  headers: z.record(z.string(), z.string()),
  body: z.union([z.string(), z.instanceof(Uint8Array), z.null()]),
});

const FailureShape = z.object({ name: z.string(), message: z.string(), stack: z.string() });

const AnswerShape = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), answer: z.string() }),
  z.object({ ok: z.literal(false), failure: FailureShape }),
]);

const StepShape = z.object({
  exports: z.string(),
  exit: z.string().exactOptional(),
  pause: z
    .object({
      kind: z.enum(["delay", "suspend", "rerun"]),
      ms: Milliseconds.min(1).max(LONGEST_PAUSE_MS),
      context: z.string().exactOptional(),
    })
    .exactOptional(),
  sendings: z
    .array(z.object({ kind: z.enum(["emit", "sse", "http", "email", "s3"]), message: z.string() }))
    .max(MOST_SENDINGS),
});

/** What an outcome has to look like, whatever it came to. */
export const OutcomeShape = z.object({
  emitted: z.array(
    z.object({
      payload: z.string(),
      emittedAtMs: Milliseconds,
      id: z.string().exactOptional(),
      name: z.string().exactOptional(),
      summary: z.string().exactOptional(),
      ts: Milliseconds.exactOptional(),
      deliveryTs: Milliseconds.exactOptional(),
    }),
  ),
  db: z.record(z.string(), z.string().nullable()),
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

/** Check what a component said of itself, as `checkedOutcome` does. */
export function checkedAnswer(answer: Answer): Answer {
  return AnswerShape.parse(answer);
}

/** Check what a component answers its HTTP caller with, as `checkedOutcome` does. */
export function checkedResponse(response: CustomResponse): CustomResponse {
  return ResponseShape.parse(response);
}
