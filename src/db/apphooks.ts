import { sql } from "drizzle-orm";

import type { ProviderEvent } from "#domain/apphooks.ts";
import type { Id } from "#domain/ids.ts";

import type { Database } from "./client.ts";

/** The live sources that a provider's event triggers, ordered by id, after a given one. */
export async function sourcesHookedBy(
  db: Database,
  { app, accountId, externalId, names }: Omit<ProviderEvent, "payload">,
  { after, limit }: { after: string; limit: number },
): Promise<Id<"source">[]> {
  const rows = await db.all<{ id: Id<"source"> }>(sql`
    SELECT DISTINCT s.id AS id
    FROM accounts AS a
    JOIN apphooks AS h ON h.account_id = a.id
    JOIN sources AS s ON s.id = h.source_id AND s.owner_id = a.owner_id AND s.state = 'live'
    WHERE a.app = ${app} AND (a.id = ${accountId} OR a.external_id = ${externalId})
      AND h.source_id > ${after}
      AND (h.event_names = '[]' OR EXISTS (
        SELECT 1 FROM json_each(h.event_names) AS wanted
        WHERE wanted.value IN (SELECT value FROM json_each(${JSON.stringify(names)}))))
    ORDER BY s.id LIMIT ${limit}`);
  return rows.map(({ id }) => id);
}
