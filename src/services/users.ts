import { usageOfUser, type WorkspaceUsage } from "#db/usage.ts";
import { insertUser, type User } from "#db/users.ts";
import { billingPeriodOf, dayOf, type Used } from "#domain/billing.ts";
import { RequestError } from "#domain/errors.ts";
import { newId } from "#domain/ids.ts";
import { NO_QUOTAS } from "#domain/quotas.ts";

import type { AppContext, UserContext } from "./context.ts";
import { type UsageContext, writeKeptUsageOfActor } from "./kept-usage.ts";
import { type IssuedKey, newKey } from "./keys.ts";

export type { User } from "#db/users.ts";
export type NewUser = Pick<User, "username" | "email" | "plan">;

/** The actor's own view of the user: with usage and workspaces. */
export type Profile = User & {
  usedToday: Used;
  usedInPeriod: Used;
  period: { startAt: number; endAt: number };
  workspaces: WorkspaceUsage[];
};

/** Create a user and a first API key. Refuses an e-mail address of another user. */
export async function createUser(
  ctx: Pick<AppContext, "db" | "now">,
  { username, email, plan }: NewUser,
): Promise<{ user: User; key: IssuedKey }> {
  const at = ctx.now();
  const user: User = {
    id: newId("user"),
    username,
    email,
    plan,
    ...NO_QUOTAS,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
  };
  const key = await newKey(user.id, null, at);
  if (!(await insertUser(ctx.db, user, key)))
    throw new RequestError("conflict", `email: another user has the address ${email}`);
  return { user, key };
}

export async function getCurrentUser(
  ctx: Pick<UserContext, "actor" | "now" | "workspaces"> & UsageContext,
): Promise<Profile> {
  await writeKeptUsageOfActor(ctx);
  const at = ctx.now();
  const period = billingPeriodOf(at);
  const days = { today: dayOf(at), periodStart: dayOf(period.startAt) };
  const used = await usageOfUser(ctx.db, ctx.actor.id, days);
  return {
    ...ctx.actor,
    usedToday: used.today,
    usedInPeriod: used.period,
    period,
    workspaces: used.workspaces,
  };
}
