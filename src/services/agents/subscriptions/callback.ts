import { invalidInput, RequestError } from "#domain/errors.ts";
import { secondsLeft } from "#domain/rate-limits.ts";
import { isSecret } from "#domain/signature.ts";
import { callbackRefusal, type TargetRules } from "#domain/targets.ts";
import type { CallbackFailure, NewCallback } from "#durable-objects/webhook/contract.ts";

import type { AppContext } from "../../context.ts";

/** The maximum number of challenges to one host in ten seconds, from all agents together. */
const MAX_CHALLENGES = 100;

/** A callback that did not return its challenge. */
export class CallbackFailed extends RequestError {
  constructor(reason: CallbackFailure) {
    super("upstream_failed", `The callback was not verified: ${reason}`, { reason });
  }
}

/** Refuse a URL that events may not be sent to, or an unsuitable signing secret. */
export function checkCallback(
  rules: TargetRules,
  { url, secret }: { url: string; secret: string },
): void {
  const refusal = callbackRefusal(url, rules);
  if (refusal !== undefined) throw invalidInput([{ path: "delivery.url", message: refusal }]);
  if (isSecret(secret)) return;
  const message = "must be whsec_ and the base64 of 24 to 64 random bytes";
  throw invalidInput([{ path: "delivery.secret", message }]);
}

/** Send a callback a challenge, which is signed with its secret. Refuses a callback that does not return it. */
export async function verifyCallback(
  { countRequest, webhooks }: Pick<AppContext, "countRequest" | "webhooks">,
  webhook: Parameters<AppContext["webhooks"]>[0],
  callback: NewCallback,
): Promise<void> {
  const window = await countRequest(`agent-challenges ${new URL(callback.url).host}`);
  if (window.count > MAX_CHALLENGES) {
    const wait = `wait ${secondsLeft(window, Date.now())} s`;
    throw new RequestError("rate_limited", `The callback's host had many challenges: ${wait}`);
  }
  const failure = await webhooks(webhook).challenge(callback);
  if (failure !== null) throw new CallbackFailed(failure);
}
