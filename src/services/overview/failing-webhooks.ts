import { type FailingWebhook, failingWebhooks } from "#db/activity.ts";
import { spanOf } from "#domain/activity.ts";

import type { AppContext } from "../context.ts";

export type { FailingWebhook } from "#db/activity.ts";

const MAX_LISTED = 100;

/** The webhooks of all owners with failed attempts in the last hours, for the operator. */
export function listFailingWebhooks(
  ctx: Pick<AppContext, "db" | "now">,
  hours: number,
): Promise<FailingWebhook[]> {
  return failingWebhooks(ctx.db, spanOf(ctx.now(), hours), MAX_LISTED);
}
