import { and, eq, gt } from "drizzle-orm";

import type { Database } from "../client.ts";
import { authorizations } from "../schema/connect.ts";

export type Authorization = typeof authorizations.$inferSelect;

export async function insertAuthorization(db: Database, row: Authorization): Promise<void> {
  await db.insert(authorizations).values(row);
}

/** An authorization that is under way; undefined if it is unknown, ended or expired. */
export async function authorizationByState(
  db: Database,
  stateHash: string,
  now: number,
): Promise<Authorization | undefined> {
  const [found] = await db.select().from(authorizations).where(underWay(stateHash, now));
  return found;
}

/** End an authorization. False: another caller did before, because a state is used once. */
export async function endAuthorization(
  db: Database,
  stateHash: string,
  now: number,
): Promise<boolean> {
  const ended = await db
    .delete(authorizations)
    .where(underWay(stateHash, now))
    .returning({ stateHash: authorizations.stateHash });
  return ended.length > 0;
}

function underWay(stateHash: string, now: number) {
  return and(eq(authorizations.stateHash, stateHash), gt(authorizations.expiresAt, now));
}
