import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

import type { Id, OwnerId } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { agentGrants } from "./schema/agents.ts";
import { connectTokens, externalUsers, oauthClients, projects } from "./schema/connect.ts";
import { apiKeys, memberships, users } from "./schema/tables.ts";

/** The credentials by which an agent acts for an owner. */
export type Authority = {
  ownerId: OwnerId;
  /** The grant of a key for agents, or of an OAuth client of agents. */
  grantId: Id<"agent_grant"> | null;
  /** Without a grant: the hash of an API key or a connect token, or the id of an OAuth client of Connect. */
  credential: string | null;
  /** The user who made the key or the grant; null: nobody's access limits it. */
  authorizedBy: Id<"user"> | null;
};

/**
 * Whether an agent may still act for its owner: its credentials exist, its owner was not deleted, and the user who
 * authorized it still has access to the owner.
 */
export function isAuthorized({
  ownerId: owner,
  grantId,
  credential,
  authorizedBy: user,
}: Record<keyof Authority, SQLWrapper>): SQL {
  const isGranted = sql`(${grantId} IS NULL OR EXISTS (
    SELECT 1 FROM ${agentGrants} AS granted WHERE granted.id = ${grantId}))`;
  const isCredentialValid = sql`(${credential} IS NULL
    OR EXISTS (SELECT 1 FROM ${apiKeys} AS held WHERE held.hash = ${credential})
    OR EXISTS (SELECT 1 FROM ${connectTokens} AS held WHERE held.hash = ${credential})
    OR EXISTS (SELECT 1 FROM ${oauthClients} AS held WHERE held.id = ${credential}))`;
  const isOwnerThere = sql`(${owner} NOT LIKE 'exu\\_%' ESCAPE '\\' OR EXISTS (${projectOf(owner)}))`;
  const isMember = (workspace: SQLWrapper) => sql`EXISTS (SELECT 1 FROM ${memberships} AS seeing
    WHERE seeing.user_id = ${user} AND seeing.workspace_id = ${workspace})`;
  const mayAct = sql`(${user} IS NULL OR EXISTS (
    SELECT 1 FROM ${users} AS author WHERE author.id = ${user} AND author.deleted_at IS NULL
    AND (${owner} = ${user} OR ${isMember(owner)} OR EXISTS (${projectOf(owner)}
      AND (project.owner_id = ${user} OR ${isMember(sql`project.owner_id`)})))))`;
  return sql`(${isGranted} AND ${isCredentialValid} AND ${isOwnerThere} AND ${mayAct})`;
}

/** Whether an agent may still act, by values instead of columns. */
export async function hasAuthority(db: Database, authority: Authority): Promise<boolean> {
  const [found] = await db.all<{ held: number }>(
    sql`SELECT ${isAuthorized(valuesOf(authority))} AS held`,
  );
  return found?.held === 1;
}

/** The credentials of an agent as values in SQL. */
export function valuesOf(authority: Authority): Record<keyof Authority, SQL> {
  return {
    ownerId: sql`${authority.ownerId}`,
    grantId: sql`${authority.grantId}`,
    credential: sql`${authority.credential}`,
    authorizedBy: sql`${authority.authorizedBy}`,
  };
}

function projectOf(owner: SQLWrapper): SQL {
  return sql`SELECT 1 FROM ${externalUsers} AS external
    JOIN ${projects} AS project ON project.id = external.project_id
    WHERE external.id = ${owner} AND external.deleted_at IS NULL AND project.deleted_at IS NULL`;
}
