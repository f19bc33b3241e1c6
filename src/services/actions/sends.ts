import { errorMessage } from "#domain/errors.ts";
import type { OwnerId } from "#domain/ids.ts";
import { newToken } from "#domain/ids.ts";
import { type Failure, newFailure } from "#domain/invocation.ts";
import { sendOutbound } from "#sandbox/outbound-request.ts";
import type { PlatformRequests } from "#sandbox/platform-requests.ts";
import { messageOf } from "#sandbox/side-effects.ts";
import type { SideEffect } from "#sandbox/user-code.ts";

import type { AppContext } from "../context.ts";

/** The owner of an action that sends messages, its hops since the trigger, and the requests that share its budget of runs. */
type SendContext = { owner: OwnerId; hops: number; requests: PlatformRequests };

/** Send the messages of an action, once. Returns the failures: the caller sees them, and may run the action again. */
export async function sendAll(
  ctx: Pick<AppContext, "egress">,
  context: SendContext,
  sideEffects: readonly SideEffect[],
): Promise<Failure[]> {
  const failures = await Promise.all(sideEffects.map((one) => send(ctx, context, one)));
  return failures.filter((failure) => failure !== undefined);
}

async function send(
  ctx: Pick<AppContext, "egress">,
  { owner, hops, requests }: SendContext,
  sideEffect: SideEffect,
): Promise<Failure | undefined> {
  const problem = (message: string): Failure =>
    newFailure("SendError", `$.send.${sideEffect.kind}: ${message}`);
  try {
    const message = await messageOf(sideEffect, newToken());
    if (message.kind !== "http") return problem("is not offered without a workflow");
    const cause = { hops: hops + 1, depth: 0, budget: requests.takeShare() };
    const result = await sendOutbound(ctx.egress(owner, cause), message);
    return result.ok ? undefined : problem(result.message);
  } catch (error) {
    return problem(errorMessage(error));
  }
}
