import { and, eq, exists, gt, inArray, isNull, lt, type SQL, sql } from "drizzle-orm";

import { ENVIRONMENTS } from "#domain/connect.ts";
import { isId, type OwnerId } from "#domain/ids.ts";

import { ownersIn, type Whose } from "./activity.ts";
import type { Database } from "./client.ts";
import type { Found } from "./found.ts";
import { accounts } from "./schema/accounts.ts";
import { deployedTriggers, externalUsers, projects } from "./schema/connect.ts";
import { sources } from "./schema/tables.ts";

/** Higher than every character: the end of all texts with a beginning in common. */
const LAST_CHARACTER = "\u{10ffff}";

type Request = { text: string; limit: number };

/**
 * For a batch: the resources of external users in the projects of owners. A project may have millions of these, so each
 * query reads about as many rows as it returns: external users are found by the beginning of the customer's id, and all
 * else by its whole id.
 */
export function connectQueries(db: Database, whose: Whose, { text, limit }: Request) {
  const { externalId } = externalUsers;
  const users = [
    usersQuery(db, whose, { where: eq(externalId, text), rank: 0, limit }),
    usersQuery(db, whose, {
      where: and(gt(externalId, text), lt(externalId, `${text}${LAST_CHARACTER}`)),
      rank: 1,
      limit,
    }),
  ];
  if (isId("external_user", text)) {
    const where = eq(externalUsers.id, text);
    return [...users, usersQuery(db, whose, { where, rank: 0, limit: 1 })];
  }
  if (isId("account", text)) return [...users, accountQuery(db, whose, text)];
  if (isId("source", text)) return [...users, triggerQuery(db, whose, text)];
  return users;
}

function usersQuery(
  db: Database,
  whose: Whose,
  { where, rank, limit }: { where: SQL | undefined; rank: number; limit: number },
) {
  // The environments are named for the index on project, environment and id.
  const isAnywhere = inArray(externalUsers.environment, [...ENVIRONMENTS]);
  return db
    .select(fieldsOf("external_user", externalUsers, rank))
    .from(externalUsers)
    .innerJoin(projects, eq(projects.id, externalUsers.projectId))
    .where(and(isIn(whose), isAnywhere, where))
    .limit(limit);
}

/** An account that an external user connected. */
function accountQuery(db: Database, whose: Whose, id: string) {
  return db
    .select(fieldsOf("connected_account", accounts, 0))
    .from(accounts)
    .innerJoin(externalUsers, sql`${externalUsers.id} = ${accounts.ownerId}`)
    .innerJoin(projects, eq(projects.id, externalUsers.projectId))
    .where(and(isIn(whose), sql`${accounts.id} = ${id}`))
    .limit(1);
}

/** A trigger that was deployed for an external user. */
function triggerQuery(db: Database, whose: Whose, id: string) {
  const noted = db
    .select({ id: deployedTriggers.sourceId })
    .from(deployedTriggers)
    .where(eq(deployedTriggers.sourceId, sources.id));
  return db
    .select(fieldsOf("deployed_trigger", sources, 0))
    .from(sources)
    .innerJoin(externalUsers, sql`${externalUsers.id} = ${sources.ownerId}`)
    .innerJoin(projects, eq(projects.id, externalUsers.projectId))
    .where(and(isIn(whose), sql`${sources.id} = ${id}`, eq(sources.state, "live"), exists(noted)))
    .limit(1);
}

/** Whether the external user of a row exists, in a project of the owners. */
function isIn(whose: Whose): SQL | undefined {
  return and(
    sql`${projects.ownerId} IN ${ownersIn(whose)}`,
    isNull(projects.deletedAt),
    isNull(externalUsers.deletedAt),
  );
}

/** The external user's name, environment and project, for each kind of found resource. */
function fieldsOf(
  type: Found["type"],
  table: typeof accounts | typeof externalUsers | typeof sources,
  rank: number,
) {
  return {
    type: sql<Found["type"]>`${type}`.as("type"),
    id: sql<string>`${table.id}`.as("found_id"),
    name: sql<string>`${externalUsers.externalId}`.as("found_name"),
    detail: sql<string | null>`${externalUsers.environment}`.as("detail"),
    parentId: sql<string | null>`${projects.id}`.as("parent_id"),
    ownerId: sql<OwnerId>`${projects.ownerId}`.as("found_owner"),
    rank: sql<number>`${rank}`.as("rank"),
    at: sql<number>`${table.createdAt}`.as("at"),
  };
}
