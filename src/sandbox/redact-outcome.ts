import type { Failure } from "#domain/invocation.ts";
import { type Redactor, redactorOfTexts } from "#domain/redaction.ts";

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

/** Replace secrets in an error. */
export function redactFailure({ name, message, stack }: Failure, redact: Redactor): Failure {
  return { name: redact(name), message: redact(message), stack: redact(stack) };
}
