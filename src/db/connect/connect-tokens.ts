import { and, eq, gt, isNull, lt } from "drizzle-orm";

import type { Database } from "../client.ts";
import { authorizations, connectTokens, externalUsers, projects } from "../schema/connect.ts";
import type { ExternalUser } from "./external-users.ts";
import type { Project } from "./projects.ts";

export type ConnectToken = typeof connectTokens.$inferSelect;

/** A connect token with its external user and project. */
export type Bearer = { token: ConnectToken; externalUser: ExternalUser; project: Project };

export async function insertConnectToken(db: Database, token: ConnectToken): Promise<void> {
  await db.insert(connectTokens).values(token);
}

/** The grant of a token; undefined if it is unknown, has expired, or its subject was deleted. */
export async function bearerByToken(
  db: Database,
  hash: string,
  now: number,
): Promise<Bearer | undefined> {
  const [found] = await db
    .select({ token: connectTokens, externalUser: externalUsers, project: projects })
    .from(connectTokens)
    .innerJoin(externalUsers, eq(externalUsers.id, connectTokens.externalUserId))
    .innerJoin(projects, eq(projects.id, externalUsers.projectId))
    .where(
      and(
        eq(connectTokens.hash, hash),
        gt(connectTokens.expiresAt, now),
        isNull(externalUsers.deletedAt),
        isNull(projects.deletedAt),
      ),
    );
  return found;
}

/** An external user with the project that it belongs to; undefined if one of them was deleted. */
export async function userInProject(
  db: Database,
  id: ExternalUser["id"],
): Promise<Pick<Bearer, "externalUser" | "project"> | undefined> {
  const [found] = await db
    .select({ externalUser: externalUsers, project: projects })
    .from(externalUsers)
    .innerJoin(projects, eq(projects.id, externalUsers.projectId))
    .where(
      and(eq(externalUsers.id, id), isNull(externalUsers.deletedAt), isNull(projects.deletedAt)),
    );
  return found;
}

/** Delete expired tokens and authorizations. Returns their number. */
export async function deleteExpiredConnectTokens(db: Database, now: number): Promise<number> {
  const [tokens, states] = await db.batch([
    db
      .delete(connectTokens)
      .where(lt(connectTokens.expiresAt, now))
      .returning({ hash: connectTokens.hash }),
    db
      .delete(authorizations)
      .where(lt(authorizations.expiresAt, now))
      .returning({ hash: authorizations.stateHash }),
  ]);
  return tokens.length + states.length;
}
