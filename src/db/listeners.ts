import { and, eq, inArray, not, or, type SQL, sql } from "drizzle-orm";

import type { Id, OwnerId } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { externalUsers, projects } from "./schema/connect.ts";
import {
  autoSubscriptions,
  memberships,
  sources,
  subscriptions,
  webhooks,
  workflows,
} from "./schema/tables.ts";

/** The table of a link, or the alias that it has in a query. */
type LinkTable = "subscriptions" | "auto_subscriptions" | "link";

/**
 * Whether the owner of a link's listener may still receive the events of the link's owner: both are the same owner, or
 * the user who linked them may see both. Only this function decides it; a deleted listener receives nothing.
 */
export function mayListen(link: LinkTable): SQL {
  const row = sql.raw(link);
  const listener = listenerOwner(sql`${row}.listener_id`);
  const sees = (owner: SQL): SQL => sql`(${owner} = ${row}.user_id OR EXISTS (
    SELECT 1 FROM ${memberships} AS seeing
    WHERE seeing.user_id = ${row}.user_id AND seeing.workspace_id = ${owner}))`;
  // A customer's workflows listen to the sources of the customer's external users.
  const isCustomers = sql`(${row}.owner_id LIKE 'exu\\_%' ESCAPE '\\' AND ${listener} = (
    SELECT project.owner_id FROM ${externalUsers} AS external JOIN ${projects} AS project ON project.id = external.project_id
    WHERE external.id = ${row}.owner_id))`;
  return sql`COALESCE(${listener} = ${row}.owner_id OR ${isCustomers}
    OR (${sees(sql`${row}.owner_id`)} AND ${sees(listener)}), 0)`;
}

/** The routing columns of a deleted or changed subscription. */
export const ROUTE_KEY = { ownerId: subscriptions.ownerId, emitterId: subscriptions.emitterId };

/** For a batch, with the deletion of a source or workflow: delete its links, as emitter and as listener. */
export function deleteLinksOf(
  db: Database,
  { id, ownerId }: { id: Id<"source"> | Id<"workflow">; ownerId: OwnerId },
) {
  const asEmitter = and(eq(subscriptions.ownerId, ownerId), eq(subscriptions.emitterId, id));
  return [
    db
      .delete(subscriptions)
      .where(or(asEmitter, eq(subscriptions.listenerId, id)))
      .returning(ROUTE_KEY),
    db.delete(autoSubscriptions).where(eq(autoSubscriptions.listenerId, id)),
  ] as const;
}

/** For a batch, after a user left a workspace: delete the user's links that the membership allowed. */
export function deleteLinksOfFormerMember(
  db: Database,
  user: Id<"user">,
  workspace: Id<"workspace">,
) {
  const workspaces = db
    .select({ id: memberships.workspaceId })
    .from(memberships)
    .where(eq(memberships.userId, user));
  const isEnded = (
    { ownerId, userId }: typeof subscriptions | typeof autoSubscriptions,
    table: LinkTable,
  ) =>
    and(
      or(inArray(ownerId, [user, workspace]), inArray(ownerId, workspaces)),
      eq(userId, user),
      not(mayListen(table)),
    );
  return [
    db.delete(subscriptions).where(isEnded(subscriptions, "subscriptions")).returning(ROUTE_KEY),
    db.delete(autoSubscriptions).where(isEnded(autoSubscriptions, "auto_subscriptions")),
  ] as const;
}

function listenerOwner(id: SQL): SQL {
  const owner = (table: SQL): SQL =>
    sql`(SELECT listening.owner_id FROM ${table} AS listening WHERE listening.id = ${id})`;
  return sql`CASE substr(${id}, 1, 2)
    WHEN 'wh' THEN ${owner(sql`${webhooks}`)}
    WHEN 'dc' THEN ${owner(sql`${sources}`)}
    WHEN 'p_' THEN ${owner(sql`${workflows}`)} END`;
}
