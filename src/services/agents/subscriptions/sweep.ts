import { expiredAgentSubscriptions, strandedAgentSubscriptions } from "#db/agent-subscriptions.ts";
import { ACCESS_REVOKED, EVENT_TYPE_GONE } from "#domain/agent-events.ts";

import { runPage } from "../../maintenance/paged-task.ts";
import type { EndSourceContext } from "../shared-sources/end.ts";
import { endSubscription } from "./end.ts";

/**
 * Maximum expired subscriptions that one sweep deletes, and maximum others that it checks. The next one is a minute
 * away.
 */
const EXPIRED_A_SWEEP = 50;
const ROWS_A_SWEEP = 500;

/** Delete subscriptions of agents that have expired, or lost their source or their grant. Returns their number. */
export async function endAgentSubscriptions(ctx: EndSourceContext): Promise<number> {
  const expired = await expiredAgentSubscriptions(ctx.db, ctx.now(), EXPIRED_A_SWEEP);
  for (const one of expired) await endSubscription(ctx, one);
  const ended = await runPage(ctx, {
    name: "agent_subscriptions",
    intervalSeconds: 60,
    page: (position) => endStranded(ctx, Number(position)),
  });
  return expired.length + ended;
}

async function endStranded(
  ctx: EndSourceContext,
  after: number,
): Promise<{ done: number; next: string | null }> {
  const stretch = { after, length: ROWS_A_SWEEP };
  const { stranded, last } = await strandedAgentSubscriptions(ctx.db, stretch);
  for (const { subscription, isRevoked } of stranded)
    await endSubscription(ctx, subscription, isRevoked ? ACCESS_REVOKED : EVENT_TYPE_GONE);
  return { done: stranded.length, next: last === null ? null : String(last) };
}
