import { and, asc, eq, inArray, isNotNull, isNull, notExists } from "drizzle-orm";

import type { Id, OwnerId } from "#domain/ids.ts";

import { forgetAgentGrants } from "../agent-grants.ts";
import type { Database } from "../client.ts";
import { accounts } from "../schema/accounts.ts";
import { agentGrants } from "../schema/agents.ts";
import {
  appOverrides,
  authorizations,
  connectNotifications,
  connectTokens,
  externalUsers,
  fileStashes,
  oauthClients,
  oauthTokens,
  projectOauthApps,
  projects,
  projectWebhooks,
} from "../schema/connect.ts";
import { components, dataStores, sources, webhooks } from "../schema/tables.ts";

/** Leftovers of a deleted external user that have objects of their own. */
export type LeftOver = {
  sources: Id<"source">[];
  webhooks: Id<"webhook">[];
  dataStores: Id<"data_store">[];
};

/** Deleted external users, first deleted first. */
export async function departedUsers(db: Database, limit: number): Promise<Id<"external_user">[]> {
  const rows = await db
    .select({ id: externalUsers.id })
    .from(externalUsers)
    .where(isNotNull(externalUsers.deletedAt))
    .orderBy(asc(externalUsers.deletedAt))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Some of an owner's resources with objects of their own. */
export async function leftOverOf(db: Database, owner: OwnerId, limit: number): Promise<LeftOver> {
  const [ofSources, ofWebhooks, ofStores] = await db.batch([
    db.select({ id: sources.id }).from(sources).where(eq(sources.ownerId, owner)).limit(limit),
    db.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.ownerId, owner)).limit(limit),
    db
      .select({ id: dataStores.id })
      .from(dataStores)
      .where(eq(dataStores.ownerId, owner))
      .limit(limit),
  ]);
  return {
    sources: ofSources.map(({ id }) => id),
    webhooks: ofWebhooks.map(({ id }) => id),
    dataStores: ofStores.map(({ id }) => id),
  };
}

/**
 * Delete the rows of an external user who owns no more resources with objects of their own. False: an account was
 * connected meanwhile, which must be deleted first.
 */
export async function forgetExternalUser(
  db: Database,
  user: Id<"external_user">,
): Promise<boolean> {
  const theirs = db.select({ id: accounts.id }).from(accounts).where(eq(accounts.ownerId, user));
  const results = await db.batch([
    db
      .delete(externalUsers)
      .where(and(eq(externalUsers.id, user), notExists(theirs)))
      .returning({ id: externalUsers.id }),
    // The sweep deletes their files, and then the rows.
    db.update(fileStashes).set({ expiresAt: 0 }).where(eq(fileStashes.ownerId, user)),
    db.delete(connectTokens).where(eq(connectTokens.externalUserId, user)),
    db.delete(connectNotifications).where(eq(connectNotifications.externalUserId, user)),
    db.delete(authorizations).where(eq(authorizations.ownerId, user)),
    db.delete(components).where(eq(components.ownerId, user)),
    ...forgetAgentGrants(db, eq(agentGrants.ownerId, user)),
  ]);
  return results[0].length > 0;
}

/** Delete the rows of deleted projects, their external users last. Returns the number of fully deleted projects. */
export async function forgetProjects(db: Database, now: number): Promise<number> {
  const deleted = db
    .select({ id: projects.id })
    .from(projects)
    .where(isNotNull(projects.deletedAt));
  const theirClients = db
    .select({ id: oauthClients.id })
    .from(oauthClients)
    .where(inArray(oauthClients.projectId, deleted));
  const theirUsers = db
    .select({ id: externalUsers.id })
    .from(externalUsers)
    .where(eq(externalUsers.projectId, projects.id));
  const usersOfClient = db
    .select({ id: externalUsers.id })
    .from(externalUsers)
    .where(eq(externalUsers.projectId, projectOauthApps.projectId));
  const results = await db.batch([
    db
      .update(externalUsers)
      .set({ deletedAt: now })
      .where(and(isNull(externalUsers.deletedAt), inArray(externalUsers.projectId, deleted))),
    db.delete(oauthTokens).where(inArray(oauthTokens.clientId, theirClients)),
    db.delete(oauthClients).where(inArray(oauthClients.projectId, deleted)),
    // A client at a provider revokes the grants of its accounts: it stays as long as their owners.
    db
      .delete(projectOauthApps)
      .where(and(inArray(projectOauthApps.projectId, deleted), notExists(usersOfClient))),
    db.delete(appOverrides).where(inArray(appOverrides.projectId, deleted)),
    db.delete(projectWebhooks).where(inArray(projectWebhooks.projectId, deleted)),
    db
      .delete(projects)
      .where(and(isNotNull(projects.deletedAt), notExists(theirUsers)))
      .returning({ id: projects.id }),
  ]);
  return results[6].length;
}
