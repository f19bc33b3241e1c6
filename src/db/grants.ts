import { sql, type SQL } from "drizzle-orm";

import type { Id } from "#domain/ids.ts";

import type { Account } from "./accounts.ts";
import type { Database } from "./client.ts";
import { accounts } from "./schema/accounts.ts";
import { externalUsers, projectOauthApps, projects } from "./schema/connect.ts";

/**
 * Those of some accounts whose grants no other account shares: a provider may revoke all tokens of a user and a client
 * at once. An account of the same client and payer shares a grant if it names the same user at the provider, or has
 * the same owner and one of both names no user. `siblings`: the apps that an app's client serves.
 */
export async function withoutSharedGrants(
  db: Database,
  ids: readonly Id<"account">[],
  siblings: ReadonlyMap<string, readonly string[]>,
): Promise<Id<"account">[]> {
  const leaving = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const pairs = [...siblings].flatMap(([app, others]) => others.map((other) => [app, other]));
  const ofClient = sql`other.dead = 0 AND other.id NOT IN ${leaving}
    AND (other.oauth_app_id IS own.oauth_app_id OR ${clientOf("other")} = ${clientOf("own")})`;
  // Two conditions, so that each has an index.
  const rows = await db.all<{ id: Id<"account"> }>(sql`
    WITH kin AS (SELECT value ->> 0 AS app, value ->> 1 AS other FROM json_each(${JSON.stringify(pairs)}))
    SELECT own.id FROM ${accounts} AS own WHERE own.id IN ${leaving}
      AND NOT EXISTS (
        SELECT 1 FROM kin CROSS JOIN ${accounts} AS other
          ON other.app = kin.other AND other.external_id = own.external_id
        WHERE kin.app = own.app AND ${ofClient} AND ${payerOf("other")} = ${payerOf("own")})
      AND NOT EXISTS (
        SELECT 1 FROM ${accounts} AS other
        WHERE other.owner_id = own.owner_id AND (other.external_id IS NULL OR own.external_id IS NULL)
          AND other.app IN (SELECT kin.other FROM kin WHERE kin.app = own.app) AND ${ofClient})`);
  return rows.map(({ id }) => id);
}

/** The columns of an account that its deletion needs. */
export type LeavingAccount = Pick<Account, "id" | "app" | "ownerId">;

/** The id at the provider of the project's client that connected an account. */
function clientOf(account: "other" | "own"): SQL {
  return sql`(SELECT client_id FROM ${projectOauthApps} WHERE id = ${sql.raw(account)}.oauth_app_id)`;
}

/** The payer of an account's owner: for an external user, the owner of the project. */
function payerOf(account: "other" | "own"): SQL {
  const owner = sql.raw(`${account}.owner_id`);
  return sql`coalesce((SELECT project.owner_id FROM ${externalUsers} AS person
    JOIN ${projects} AS project ON project.id = person.project_id WHERE person.id = ${owner}), ${owner})`;
}
