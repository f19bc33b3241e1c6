import { usageByDay } from "#db/usage.ts";
import { DAY_SECONDS, dayOf } from "#domain/billing.ts";
import { RequestError } from "#domain/errors.ts";
import type { Id, PayerId } from "#domain/ids.ts";

import type { ConnectContext } from "./context.ts";

/** What was used within one day, both ends in epoch seconds, the end exclusive. */
export type UsageRecord = { credits: number; startAt: number; endAt: number };

/**
 * What the owners of the caller's projects used on the days that a window touches (epoch seconds, the end exclusive):
 * usage is counted by owner and day, whatever it was for. Refuses a client of one project, which is not all of its owner.
 */
export async function listUsage(
  ctx: ConnectContext,
  { from, to }: { from: number; to: number },
): Promise<UsageRecord[]> {
  const window = { first: dayOf(from), last: dayOf(to - 1) };
  const days = await usageByDay(ctx.db, whoseUsage(ctx), window);
  return days.map(({ day, credits }) => {
    const startAt = Date.parse(day) / 1000;
    return { credits, startAt, endAt: startAt + DAY_SECONDS };
  });
}

function whoseUsage({ caller }: ConnectContext): { owner: PayerId } | { user: Id<"user"> } {
  if (caller.kind === "user") return { user: caller.user.id };
  if (caller.kind === "browser")
    throw new RequestError("forbidden", "A connect token does not open this");
  const { ownerId: owner, projectId } = caller.client;
  if (projectId === null) return { owner };
  throw new RequestError(
    "forbidden",
    `The client reaches ${projectId} alone: usage is counted by owner`,
  );
}
