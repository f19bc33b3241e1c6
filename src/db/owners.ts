import { eq, isNotNull, or, type SQL, sql } from "drizzle-orm";

import { isId, type OwnerId, type PayerId } from "#domain/ids.ts";
import type { Quotas } from "#domain/quotas.ts";

import type { Database } from "./client.ts";
import { externalUsers, projects } from "./schema/connect.ts";
import { users, workspaces } from "./schema/tables.ts";
import { userById } from "./users.ts";

/**
 * The terms of an owner: payer, plan, quotas and address. An external user has those of the project's owner, who pays.
 */
export type Terms = Quotas & {
  payerId: PayerId;
  plan: "free" | "paid" | "legacy";
  email: string;
};

/** For a batch: the terms of an owner; no row if there is no such owner. */
export function termsQuery(db: Database, owner: OwnerId) {
  return db
    .select({
      payerId: sql<PayerId>`payer.id`,
      plan: eitherOf<Terms["plan"]>("plan"),
      email: eitherOf<string>("email"),
      dailyInvocationsQuota: eitherOf<number | null>("dailyInvocationsQuota"),
      dailyComputeMsQuota: eitherOf<number | null>("dailyComputeMsQuota"),
      dailyCreditsQuota: eitherOf<number | null>("dailyCreditsQuota"),
      storageQuota: eitherOf<number | null>("storageQuota"),
    })
    .from(sql`(SELECT ${payerOf(owner)} AS id) AS payer`)
    .leftJoin(users, eq(users.id, sql`payer.id`))
    .leftJoin(workspaces, eq(workspaces.id, sql`payer.id`))
    .where(or(isNotNull(users.id), isNotNull(workspaces.id)));
}

/** The payer of an owner; the owner itself if it is unknown. */
export function payerOf(owner: OwnerId): SQL<string> {
  if (!isId("external_user", owner)) return sql`${owner}`;
  return sql`coalesce((SELECT ${projects.ownerId} FROM ${externalUsers}
    JOIN ${projects} ON ${projects.id} = ${externalUsers.projectId}
    WHERE ${externalUsers.id} = ${owner}), ${owner})`;
}

/** The terms of an owner; undefined if there is no such owner. */
export async function termsOf(db: Database, owner: OwnerId): Promise<Terms | undefined> {
  const [terms] = await termsQuery(db, owner);
  return terms;
}

/** Whether there is an owner of this id. */
export async function ownerExists(db: Database, owner: OwnerId): Promise<boolean> {
  if (isId("user", owner)) return (await userById(db, owner)) !== undefined;
  return (await termsOf(db, owner)) !== undefined;
}

function eitherOf<T>(column: "plan" | "email" | keyof Quotas): SQL<T> {
  return sql<T>`coalesce(${users[column]}, ${workspaces[column]})`;
}
