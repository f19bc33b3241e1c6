import { z } from "zod";

import { errorMessage } from "#domain/errors.ts";
import { type Failure, newFailure } from "#domain/invocation.ts";
import { type Redactor, redactorOfTexts } from "#domain/redaction.ts";

import { failedOutcome } from "./outcome.ts";
import type { PlatformRequests } from "./platform-requests.ts";
import type { Outcome } from "./user-code.ts";

/** Replaces the secrets of a call: those in its props, and the access tokens that it received while it ran. */
export function redactorOfCall(redact: Redactor, requests: PlatformRequests): Redactor {
  const redactTokens = redactorOfTexts(requests.renewedTokens());
  return (text) => redactTokens(redact(text));
}

/** Replace secrets in the log and the errors of an outcome. What the code emits, returns and responds is its own. */
export function redactOutcome<O extends Outcome>(outcome: O, redact: Redactor): O {
  const { failure, uncaught, logs, step } = outcome;
  return {
    ...outcome,
    logs: logs.map((line) => ({ ...line, message: redact(line.message) })),
    ...(uncaught && { uncaught: uncaught.map((one) => redactFailure(one, redact)) }),
    ...(failure && { failure: redactFailure(failure, redact) }),
    ...(step?.exit !== undefined && { step: { ...step, exit: redact(step.exit) } }),
  };
}

/**
 * The outcome of a call whose isolate returned none, or an invalid one: what it rejected with may be a text of the code's, like
 * any thrown error.
 */
export function crashedOutcome(error: unknown, redact: Redactor): Outcome {
  const failure =
    error instanceof z.ZodError
      ? newFailure("InvalidOutcome", z.prettifyError(error))
      : newFailure("IsolateDied", errorMessage(error));
  return failedOutcome(redactFailure(failure, redact));
}

/** Replace secrets in an error. */
export function redactFailure({ name, message, stack }: Failure, redact: Redactor): Failure {
  return { name: redact(name), message: redact(message), stack: redact(stack) };
}
