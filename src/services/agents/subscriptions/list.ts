import {
  type ListedSubscription,
  pageOfAgentSubscriptions,
  type SubscriptionFilter,
} from "#db/agent-subscriptions.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { AppContext } from "../../context.ts";

export type { ListedSubscription } from "#db/agent-subscriptions.ts";

/** The subscriptions of agents, for the operator; expired ones stay until the sweep deletes them. */
export function listAgentSubscriptions(
  ctx: Pick<AppContext, "db">,
  filter: SubscriptionFilter,
  request: PageRequest,
): Promise<Page<ListedSubscription>> {
  return pageOfAgentSubscriptions(ctx.db, filter, request);
}
