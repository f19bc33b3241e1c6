import { and, eq, exists, inArray, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";

import { type Id, isId, type PayerId } from "#domain/ids.ts";

import { forgetAgentGrants } from "./agent-grants.ts";
import type { Database } from "./client.ts";
import { deleteClients } from "./connect/oauth-clients.ts";
import { ROUTE_KEY } from "./listeners.ts";
import { endImports } from "./registry-imports.ts";
import type { RoutesChange } from "./routes-change.ts";
import { accounts } from "./schema/accounts.ts";
import { agentGrants } from "./schema/agents.ts";
import { authorizations, fileStashes, oauthClients, projects } from "./schema/connect.ts";
import { ownedCounts, userEmails } from "./schema/derived.ts";
import { registryImports } from "./schema/imports.ts";
import { mailbox } from "./schema/mailbox.ts";
import { registryVersions } from "./schema/registry.ts";
import { consoleLinks, sessions } from "./schema/sessions.ts";
import {
  apiKeys,
  autoSubscriptions,
  components,
  dataStores,
  memberships,
  sources,
  subscriptions,
  users,
  webhooks,
  workflows,
  workspaces,
} from "./schema/tables.ts";

/** Resources that are deleted with a user: the user's, and those of workspaces without other members. */
export type Belongings = {
  sources: number;
  workflows: number;
  webhooks: number;
  data_stores: number;
  accounts: number;
  components: number;
  projects: number;
  api_keys: number;
  workspaces: Id<"workspace">[];
};

function number(table: SQLiteTable, which: SQL): SQL {
  return sql`(SELECT count(*) FROM ${table} WHERE ${which})`;
}

/** The number of resources of each kind that are deleted with a user; undefined if there is no such user. */
export async function belongingsOf(
  db: Database,
  user: Id<"user">,
): Promise<Belongings | undefined> {
  const owners = ownersWith(user);
  const owned = (table: SQLiteTable & { ownerId: SQLiteColumn }) =>
    number(table, sql`${table.ownerId} IN ${owners}`);
  const [found] = await db.all<Omit<Belongings, "workspaces"> & { alone: string }>(sql`
    SELECT ${owned(sources)} AS sources, ${owned(workflows)} AS workflows, ${owned(webhooks)} AS webhooks,
      ${owned(dataStores)} AS data_stores, ${owned(accounts)} AS accounts, ${owned(components)} AS components,
      ${number(projects, sql`${projects.ownerId} IN ${owners} AND ${projects.deletedAt} IS NULL`)} AS projects,
      ${number(apiKeys, sql`${apiKeys.userId} = ${user}`)} AS api_keys,
      (SELECT json_group_array(id) FROM ${aloneIn(user)}) AS alone
    FROM ${users} WHERE ${users.id} = ${user} AND ${users.deletedAt} IS NULL`);
  if (!found) return undefined;
  const { alone, ...counts } = found;
  return { ...counts, workspaces: JSON.parse(alone) };
}

/** Hide a user, whose keys and clients are refused from then on. Returns whether the user existed. */
export async function hideUser(db: Database, user: Id<"user">, at: number): Promise<boolean> {
  const [hidden] = await db.batch([
    db
      .update(users)
      .set({ deletedAt: at })
      .where(and(eq(users.id, user), isNull(users.deletedAt)))
      .returning({ id: users.id }),
    ...closeDoors(db, user, at),
  ]);
  return hidden.length > 0;
}

/** Some of the users whose deletion is under way; at random, so that a slow one delays no other. */
export function departingUsers(
  db: Database,
  limit: number,
): Promise<Pick<typeof users.$inferSelect, "id" | "plan">[]> {
  return db
    .select({ id: users.id, plan: users.plan })
    .from(users)
    .where(isNotNull(users.deletedAt))
    .orderBy(sql`random()`)
    .limit(limit);
}

/**
 * Revoke the credentials of a departing user. Returns the departing owners, and the workspaces that the user only
 * leaves.
 */
export async function departUser(
  db: Database,
  user: Id<"user">,
  at: number,
): Promise<{ owners: PayerId[]; leaves: Id<"workspace">[] }> {
  const alone = sql`SELECT id FROM ${aloneIn(user)}`;
  const [goes, leaves] = await db.batch([
    db
      .select({ id: memberships.workspaceId })
      .from(memberships)
      .where(and(eq(memberships.userId, user), sql`${memberships.workspaceId} IN (${alone})`)),
    db
      .select({ id: memberships.workspaceId })
      .from(memberships)
      .where(and(eq(memberships.userId, user), sql`${memberships.workspaceId} NOT IN (${alone})`)),
    db.delete(apiKeys).where(eq(apiKeys.userId, user)),
    db.delete(sessions).where(eq(sessions.userId, user)),
    db.delete(consoleLinks).where(eq(consoleLinks.userId, user)),
    ...closeDoors(db, user, at),
  ]);
  return { owners: [user, ...goes.map(({ id }) => id)], leaves: leaves.map(({ id }) => id) };
}

/** Delete the rows of a departing owner that have no object of their own. */
export async function deleteRowsOf(change: RoutesChange, owner: PayerId): Promise<void> {
  const { db } = change;
  const elsewhere = sql`(SELECT s.owner_id FROM ${sources} AS s
    WHERE s.component_id = "components".id AND s.owner_id <> ${owner} LIMIT 1)`;
  const [deleted] = await db.batch([
    db
      .delete(subscriptions)
      .where(or(eq(subscriptions.ownerId, owner), eq(subscriptions.listenerId, owner)))
      .returning(ROUTE_KEY),
    db
      .delete(autoSubscriptions)
      .where(or(eq(autoSubscriptions.ownerId, owner), eq(autoSubscriptions.listenerId, owner))),
    db
      .delete(authorizations)
      .where(or(eq(authorizations.ownerId, owner), sql`${authorizations.actorId} = ${owner}`)),
    db.delete(mailbox).where(eq(mailbox.ownerId, owner)),
    // The sweep deletes their files, and then the rows.
    db.update(fileStashes).set({ expiresAt: 0 }).where(eq(fileStashes.ownerId, owner)),
    db.delete(registryVersions).where(eq(registryVersions.ownerId, owner)),
    ...endImports(db, owner),
    // The code of another owner's running source passes to that owner.
    db
      .update(components)
      .set({ ownerId: elsewhere })
      .where(and(eq(components.ownerId, owner), sql`${elsewhere} IS NOT NULL`)),
    db.delete(components).where(eq(components.ownerId, owner)),
    db.delete(ownedCounts).where(eq(ownedCounts.ownerId, owner)),
  ]);
  change.note(deleted);
}

/**
 * Delete the rows of a user who was hidden before a time and owns nothing any more, with the workspaces without other
 * members. Returns whether they are deleted.
 */
export async function forgetUser(
  { db }: RoutesChange,
  user: Id<"user">,
  { owners, hiddenBefore }: { owners: readonly PayerId[]; hiddenBefore: number },
): Promise<boolean> {
  const left = (table: SQLiteTable & { ownerId: SQLiteColumn }) =>
    sql`EXISTS (SELECT 1 FROM ${table} WHERE ${inArray(table.ownerId, [...owners])})`;
  const [ready] = await db
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        eq(users.id, user),
        lte(users.deletedAt, hiddenBefore),
        sql`NOT (${left(projects)} OR ${left(sources)} OR ${left(accounts)} OR ${left(fileStashes)} OR ${left(registryImports)})`,
      ),
    );
  if (!ready) return false;
  const gone = owners.flatMap((id) => (isId("workspace", id) ? [id] : []));
  await db.batch([
    db.delete(memberships).where(inArray(memberships.workspaceId, gone)),
    db.delete(memberships).where(eq(memberships.userId, user)),
    db.delete(workspaces).where(inArray(workspaces.id, gone)),
    db.delete(apiKeys).where(eq(apiKeys.userId, user)),
    db.delete(userEmails).where(eq(userEmails.userId, user)),
    db.delete(users).where(eq(users.id, user)),
  ]);
  return true;
}

/** For a batch, once the user is hidden: revoke outsiders' access to the user's projects. */
function closeDoors(db: Database, user: Id<"user">, at: number) {
  const isHidden = exists(
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, user), isNotNull(users.deletedAt))),
  );
  const isOwn = (owner: SQLiteColumn) => and(sql`${owner} IN ${ownersWith(user)}`, isHidden);
  const isTheirs = and(eq(oauthClients.userId, user), isHidden);
  return [
    ...deleteClients(db, or(isOwn(oauthClients.ownerId), isTheirs)),
    ...forgetAgentGrants(
      db,
      or(and(eq(agentGrants.userId, user), isHidden), isOwn(agentGrants.ownerId)),
    ),
    db
      .update(projects)
      .set({ deletedAt: at })
      .where(and(isNull(projects.deletedAt), isOwn(projects.ownerId))),
  ] as const;
}

/** The ids of a user and of the workspaces that are deleted with the user. */
function ownersWith(user: Id<"user">): SQL {
  return sql`(SELECT ${user} UNION ALL SELECT id FROM ${aloneIn(user)})`;
}

/** The workspaces of a user without other members; users whose deletion is under way do not count. */
function aloneIn(user: Id<"user">): SQL {
  return sql`(SELECT own.workspace_id AS id FROM ${memberships} AS own
    WHERE own.user_id = ${user} AND NOT EXISTS (
      SELECT 1 FROM ${memberships} AS other JOIN ${users} AS mate ON mate.id = other.user_id
      WHERE other.workspace_id = own.workspace_id AND other.user_id <> own.user_id AND mate.deleted_at IS NULL))`;
}
