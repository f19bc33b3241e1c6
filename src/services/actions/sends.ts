import { errorMessage } from "#domain/errors.ts";
import type { OwnerId } from "#domain/ids.ts";
import { newToken } from "#domain/ids.ts";
import { type Failure, newFailure } from "#domain/invocation.ts";
import { sendOutbound } from "#sandbox/outbound-request.ts";
import type { PlatformRequests } from "#sandbox/platform-requests.ts";
import { messageOf } from "#sandbox/side-effects.ts";
import type { SideEffect } from "#sandbox/user-code.ts";

import type { AppContext } from "../context.ts";

/** The owner of an action that sends, its distance from its trigger, and the divider of its budget of runs. */
type Sending = { owner: OwnerId; hops: number; requests: PlatformRequests };

/** Send what an action left to be sent, once. Returns why some of it did not arrive: the caller sees it, and may run it again. */
export async function sendAll(
  ctx: Pick<AppContext, "egress">,
  sending: Sending,
  sideEffects: readonly SideEffect[],
): Promise<Failure[]> {
  const failures = await Promise.all(sideEffects.map((one) => send(ctx, sending, one)));
  return failures.filter((failure) => failure !== undefined);
}

async function send(
  ctx: Pick<AppContext, "egress">,
  { owner, hops, requests }: Sending,
  sideEffect: SideEffect,
): Promise<Failure | undefined> {
  const problem = (message: string): Failure =>
    newFailure("SendError", `$.send.${sideEffect.kind}: ${message}`);
  try {
    const message = await messageOf(sideEffect, newToken());
    if (message.kind !== "http") return problem("is not offered without a workflow");
    const cause = { hops: hops + 1, depth: 0, budget: requests.takeShare() };
    const refusal = await sendOutbound(ctx.egress(owner, cause), message);
    return refusal === null ? undefined : problem(refusal);
  } catch (error) {
    return problem(errorMessage(error));
  }
}
