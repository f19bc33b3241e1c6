import { z } from "zod";

import type { CustomResponse, Outcome } from "./user-code.ts";

const Milliseconds = z.number().int();

const ResponseShape = z.object({
  status: z.number().int().min(100).max(599),
  headers: z.record(z.string(), z.string()),
  body: z.union([z.string(), z.instanceof(Uint8Array), z.null()]),
});

const FailureShape = z.object({ name: z.string(), message: z.string(), stack: z.string() });

const OutcomeShape = z.object({
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
});

/**
 * Check what came out of an isolate. User code shares it with the harness and can tamper with what the harness
 * says, so nothing of it is believed before it has this shape. Throws a ZodError where it has not.
 */
export function checkedOutcome(outcome: Outcome): Outcome {
  const { response, failure, ...rest } = OutcomeShape.parse(outcome);
  return { ...rest, ...(response && { response }), ...(failure && { failure }) };
}

/** Check what a component answers its HTTP caller with, as `checkedOutcome` does. */
export function checkedResponse(response: CustomResponse): CustomResponse {
  return ResponseShape.parse(response);
}
