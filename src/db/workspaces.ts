import { and, count, eq, getTableColumns, isNull, type SQL, sql } from "drizzle-orm";

import type { ActorId, Id } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Database } from "./client.ts";
import { deleteClients } from "./connect/oauth-clients.ts";
import { deleteLinksOfFormerMember } from "./listeners.ts";
import { filterOf, newestFirst, pageBounds } from "./page.ts";
import type { RoutesChange } from "./routes-change.ts";
import { oauthClients } from "./schema/connect.ts";
import { memberships, sources, users, workflows, workspaces } from "./schema/tables.ts";

export type Workspace = typeof workspaces.$inferSelect;
export type Membership = typeof memberships.$inferSelect;

export async function insertWorkspace(db: Database, workspace: Workspace): Promise<void> {
  await db.insert(workspaces).values(workspace);
}

/** Whether a workspace and a user of these ids exist. */
export async function existing(
  db: Database,
  workspace: Id<"workspace">,
  user: Id<"user">,
): Promise<{ workspace: boolean; user: boolean }> {
  const [foundWorkspaces, foundUsers] = await db.batch([
    db.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, workspace)),
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, user), isNull(users.deletedAt))),
  ]);
  return { workspace: foundWorkspaces.length > 0, user: foundUsers.length > 0 };
}

/** Make a user a member. Earlier links of the user that need the membership are routes from then on. */
export async function insertMembership(
  { db }: RoutesChange,
  membership: Membership,
): Promise<void> {
  await db.insert(memberships).values(membership).onConflictDoNothing();
}

/** An ended membership: whether it existed, and the clients that ended with it. */
export type EndedMembership = { existed: boolean; clients: Id<"oauth_client">[] };

/**
 * Delete a membership, the subscriptions that it allowed, and the clients that the user made for the workspace, whose
 * secrets the user may have. Other credentials ask for the membership at each use.
 */
export async function deleteMembership(
  change: RoutesChange,
  workspace: Id<"workspace">,
  user: Id<"user">,
): Promise<EndedMembership> {
  const { db } = change;
  const isOfMember = and(eq(oauthClients.ownerId, workspace), eq(oauthClients.userId, user));
  const [deleted, , clients, links] = await db.batch([
    db.delete(memberships).where(isMember(workspace, user)).returning(),
    ...deleteClients(db, isOfMember),
    ...deleteLinksOfFormerMember(db, user, workspace),
  ]);
  change.note(links);
  return { existed: deleted.length > 0, clients: clients.map(({ id }) => id) };
}

/** A member of a workspace; `seq`: the place in the list. */
export type Member = {
  seq: number;
  userId: Id<"user">;
  username: string;
  email: string;
  joinedAt: number;
};

/** The members of a workspace, newest first; without those whose deletion is under way. */
export async function pageOfMembers(
  db: Database,
  workspace: Id<"workspace">,
  request: PageRequest,
): Promise<Page<Member>> {
  const seq = sql<number>`${memberships}.rowid`;
  const ofWorkspace = and(eq(memberships.workspaceId, workspace), isNull(users.deletedAt));
  const { within, order } = pageBounds(seq, request);
  const [items, [total]] = await db.batch([
    db
      .select({
        seq: seq.as("seq"),
        userId: memberships.userId,
        username: users.username,
        email: users.email,
        joinedAt: sql<number>`${memberships.createdAt}`.as("joined_at"),
      })
      .from(memberships)
      .innerJoin(users, eq(users.id, memberships.userId))
      .where(and(ofWorkspace, within))
      .orderBy(order)
      .limit(request.limit),
    db
      .select({ count: count() })
      .from(memberships)
      .innerJoin(users, eq(users.id, memberships.userId))
      .where(ofWorkspace),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

/** A workspace as operators list it, with the numbers of its resources; `seq`: its place in the list. */
export type ListedWorkspace = Workspace & {
  seq: number;
  members: number;
  sources: number;
  workflows: number;
};

/** The workspaces of the deployment, newest first; `q`: a text in id, name, short name or e-mail address. */
export async function pageOfWorkspaces(
  db: Database,
  { q, ...request }: PageRequest & { q?: string | undefined },
): Promise<Page<ListedWorkspace>> {
  const seq = sql<number>`${workspaces}.rowid`;
  const { id, orgname, name, email } = workspaces;
  const wanted = filterOf({}, [id, orgname, name, email], { q });
  const { within, order } = pageBounds(seq, request);
  const [items, [total]] = await db.batch([
    db
      .select({
        ...getTableColumns(workspaces),
        seq: seq.as("seq"),
        members: numberOf(sql`${memberships} WHERE workspace_id = workspaces.id`, "members"),
        sources: numberOf(
          sql`${sources} WHERE owner_id = workspaces.id AND state = 'live'`,
          "source_count",
        ),
        workflows: numberOf(sql`${workflows} WHERE owner_id = workspaces.id`, "workflow_count"),
      })
      .from(workspaces)
      .where(and(wanted, within))
      .orderBy(order)
      .limit(request.limit),
    db.select({ count: count() }).from(workspaces).where(wanted),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

export async function isMemberOf(
  db: Database,
  workspace: Id<"workspace">,
  user: ActorId,
): Promise<boolean> {
  const found = await membershipQuery(db, workspace, user);
  return found.length > 0;
}

/** For a batch: one row if the user belongs to the workspace, else none. */
export function membershipQuery(db: Database, workspace: Id<"workspace">, user: ActorId) {
  return db
    .select({ workspaceId: memberships.workspaceId })
    .from(memberships)
    .where(isMember(workspace, user));
}

function isMember(workspace: Id<"workspace">, user: ActorId) {
  return and(eq(memberships.workspaceId, workspace), eq(memberships.userId, sql`${user}`));
}

function numberOf(rows: SQL, column: string) {
  return sql<number>`(SELECT count(*) FROM ${rows})`.as(column);
}
