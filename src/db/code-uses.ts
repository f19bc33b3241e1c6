import { type SQL, sql } from "drizzle-orm";

import type { OwnerId } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { workflowCode } from "./schema/derived.ts";
import { components, sources, workflows } from "./schema/tables.ts";
import { workflowVersionCode } from "./schema/workflow-versions.ts";

/** Code of an owner by the name of its script. */
type Script = { name: string; owner: OwnerId; bundleHash: string };

/**
 * The names of scripts with code in use: by a source through its component or a change that is under way or was never
 * settled; by a workflow through its deployment, or an older one that a run still uses.
 */
export async function scriptsInUse(db: Database, scripts: readonly Script[]): Promise<Set<string>> {
  // `CROSS` and `+` keep SQLite from reading all sources of an owner: code is narrower, and so are changes.
  const [owner, hash] = [sql`(script.value ->> 'owner')`, sql`(script.value ->> 'bundleHash')`];
  const rows = await db.all<{ name: string }>(sql`
    SELECT script.value ->> 'name' AS name FROM json_each(${JSON.stringify(scripts)}) AS script
    WHERE EXISTS (
      SELECT 1 FROM ${components}
      CROSS JOIN ${sources} ON ${sources.componentId} = ${components.id}
      WHERE ${components.bundleHash} = ${hash} AND ${sources.ownerId} = ${owner}
    )
    OR ${isPending(hash, sql`AND +${sources.ownerId} = ${owner}`)}
    OR EXISTS (
      SELECT 1 FROM ${workflowCode}
      WHERE ${workflowCode.hash} = ${hash} AND ${workflowCode.ownerId} = ${owner}
    )
    OR ${isUnlisted(sql`AND ${workflows.ownerId} = ${owner}`)}`);
  return new Set(rows.map(({ name }) => name));
}

/**
 * The used ones of some hashes, of bundles or of sent code: those of a component, running or not, of a kept version of
 * a workflow, and of everything that `scriptsInUse` reports, of any owner.
 */
export async function hashesInUse(db: Database, hashes: readonly string[]): Promise<Set<string>> {
  const hash = sql`named.value`;
  const rows = await db.all<{ hash: string }>(sql`
    SELECT named.value AS hash FROM json_each(${JSON.stringify(hashes)}) AS named
    WHERE EXISTS (SELECT 1 FROM ${components} WHERE ${components.bundleHash} = ${hash})
    OR EXISTS (SELECT 1 FROM ${components} WHERE ${components.codeHash} = ${hash})
    OR EXISTS (SELECT 1 FROM ${components} WHERE ${components.filesHash} = ${hash})
    OR ${isPending(hash)}
    OR EXISTS (SELECT 1 FROM ${workflowCode} WHERE ${workflowCode.hash} = ${hash})
    OR EXISTS (SELECT 1 FROM ${workflowVersionCode} WHERE ${workflowVersionCode.hash} = ${hash})
    OR ${isUnlisted()}`);
  return new Set(rows.map((row) => row.hash));
}

/** Whether a change of a source deploys the bundle or the code of a hash. Changes under way are few, and indexed. */
function isPending(hash: SQL, also = sql``): SQL {
  return sql`EXISTS (
    SELECT 1 FROM ${sources}
    WHERE ${sources.updatingSince} IS NOT NULL ${also}
      AND ${hash} IN (${sources.pending} ->> 'bundleHash', ${sources.pending} -> 'component' ->> 'codeHash',
        ${sources.pending} -> 'component' ->> 'filesHash')
  )`;
}

/** Whether some workflows have no recorded code hashes yet: any code may then be in use. */
function isUnlisted(also = sql``): SQL {
  return sql`EXISTS (SELECT 1 FROM ${workflows} WHERE ${workflows.codeCheckedAt} = 0 ${also})`;
}
