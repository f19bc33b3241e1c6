import { and, eq, sql } from "drizzle-orm";

import { type ActorId, type Id, isId, type OwnerId } from "#domain/ids.ts";

import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { sources, webhooks, workflows } from "./schema/tables.ts";

/** Emitters and listeners. */
export type LinkedId = Id<"source"> | Id<"workflow"> | Id<"webhook">;

/** For a batch: the owner of a resource; no row if the user may not see it. */
export function ownerQuery(db: Database, user: ActorId, id: LinkedId) {
  const table = tableOf(id);
  const isLive = isId("source", id) ? eq(sources.state, "live") : undefined;
  return db
    .select({ ownerId: sql<OwnerId>`${table.ownerId}`.as("owner_id") })
    .from(table)
    .where(and(sql`${table.id} = ${id}`, isLive, isAccessible(db, table.ownerId, user)));
}

/** For an expression: the owner of a resource. */
export function ownerOf(id: LinkedId) {
  return sql`(SELECT owner_id FROM ${tableOf(id)} WHERE id = ${id})`;
}

function tableOf(id: LinkedId) {
  if (isId("source", id)) return sources;
  return isId("workflow", id) ? workflows : webhooks;
}
