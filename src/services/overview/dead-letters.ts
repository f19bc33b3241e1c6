import { type FailingWebhook, failingWebhooks } from "#db/activity.ts";
import { spanOf } from "#domain/activity.ts";
import type { Delivery } from "#durable-objects/webhook/contract.ts";

import type { AppContext } from "../context.ts";

/** Maximum webhooks that are queried, those with the most failures first, and maximum deliveries of each. */
const MAX_WEBHOOKS = 50;
const MAX_OF_EACH = 20;

const MAX_LISTED = 100;

/** A failed delivery and its webhook. */
export type DeadLetter = Delivery & {
  webhook: Pick<FailingWebhook, "id" | "ownerId" | "name" | "url">;
};

/** The newest failed deliveries of all webhooks with failed attempts in the last hours, for the operator. */
export async function listDeadLetters(
  ctx: Pick<AppContext, "db" | "now" | "webhooks">,
  hours: number,
): Promise<DeadLetter[]> {
  const failing = await failingWebhooks(ctx.db, spanOf(ctx.now(), hours), MAX_WEBHOOKS);
  const found = await Promise.all(failing.map((webhook) => deadLettersOf(ctx, webhook)));
  return found
    .flat()
    .toSorted((a, b) => lastAttemptMs(b) - lastAttemptMs(a))
    .slice(0, MAX_LISTED);
}

async function deadLettersOf(
  ctx: Pick<AppContext, "webhooks">,
  { id, ownerId, name, url }: FailingWebhook,
): Promise<DeadLetter[]> {
  const query = { limit: MAX_OF_EACH, state: "dead" as const };
  const { deliveries } = await ctx.webhooks(id).deliveries(query);
  return deliveries.map((delivery) => ({ ...delivery, webhook: { id, ownerId, name, url } }));
}

function lastAttemptMs({ attempts }: DeadLetter): number {
  return attempts.at(-1)?.atMs ?? 0;
}
