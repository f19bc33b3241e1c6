import { ownersFor } from "#db/access.ts";
import { usageByDay } from "#db/usage.ts";
import { DAY_SECONDS, dayOf } from "#domain/billing.ts";
import { RequestError } from "#domain/errors.ts";
import type { Id, PayerId } from "#domain/ids.ts";

import { writeKeptUsage } from "../kept-usage.ts";
import type { ConnectContext } from "./context.ts";

/** The usage of one day, both ends in epoch seconds, the end exclusive. */
export type UsageRecord = { credits: number; startAt: number; endAt: number };

/**
 * Usage of the caller's projects on the days in a time range (epoch seconds, the end exclusive). A client of one
 * project gets the usage of that project's external users; other callers get all usage of the owners.
 */
export async function listUsage(
  ctx: ConnectContext,
  { from, to }: { from: number; to: number },
): Promise<UsageRecord[]> {
  const window = { first: dayOf(from), last: dayOf(to - 1) };
  const whose = whoseUsage(ctx);
  if ("user" in whose) await writeKeptUsage(ctx, await ownersFor(ctx.db, whose.user));
  else if (ctx.caller.kind === "client") await writeKeptUsage(ctx, [ctx.caller.client.ownerId]);
  const days = await usageByDay(ctx.db, whose, window);
  return days.map(({ day, credits }) => {
    const startAt = Date.parse(day) / 1000;
    return { credits, startAt, endAt: startAt + DAY_SECONDS };
  });
}

function whoseUsage({
  caller,
}: ConnectContext): { owner: PayerId | Id<"project"> } | { user: Id<"user"> } {
  if (caller.kind === "user") return { user: caller.user.id };
  if (caller.kind === "browser")
    throw new RequestError("forbidden", "A connect token does not open this");
  const { ownerId, projectId } = caller.client;
  return { owner: projectId ?? ownerId };
}
