import { sql } from "drizzle-orm";

import type { OwnerId } from "../domain/ids.ts";
import type { Database } from "./client.ts";
import { components, sources } from "./schema.ts";

/** Code of an owner by the name of the script that it runs as. */
type Script = { name: string; owner: OwnerId; bundleHash: string };

/**
 * The names of those scripts whose code a source runs, or is about to: by its component, or by a change that is
 * under way or was never settled.
 */
export async function scriptsInUse(db: Database, scripts: readonly Script[]): Promise<Set<string>> {
  const asked = sql`json_each(${JSON.stringify(scripts)})`;
  const rows = await db.all<{ name: string }>(sql`
    SELECT value ->> 'name' AS name FROM ${asked}
    WHERE EXISTS (
      SELECT 1 FROM ${components}
      JOIN ${sources} ON ${sources.componentId} = ${components.id}
      WHERE ${components.bundleHash} = value ->> 'bundleHash'
        AND ${sources.ownerId} = value ->> 'owner'
    ) OR EXISTS (
      SELECT 1 FROM ${sources}
      WHERE ${sources.updatingSince} IS NOT NULL AND ${sources.ownerId} = value ->> 'owner'
        AND ${sources.pending} ->> 'bundleHash' = value ->> 'bundleHash'
    )`);
  return new Set(rows.map(({ name }) => name));
}
