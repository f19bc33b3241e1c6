import { and, asc, eq, gt, lt, type SQL, sql } from "drizzle-orm";

import type { Id } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import type { ImportItem } from "./registry-imports.ts";
import { registryImportItems as items, registryImports as imports } from "./schema/imports.ts";

/** The state of a component's import. */
export type ItemOutcome = Omit<ImportItem, "importId" | "path">;

/** Paths that one statement inserts: of 500 characters, each of up to six bytes, they stay under 2 MB. */
const PATHS_A_STATEMENT = 500;

/** The components of a range that wait for processing. */
export async function waitingItems(
  db: Database,
  id: Id<"registry_import">,
  { first, count }: { first: number; count: number },
): Promise<ImportItem[]> {
  return db
    .select()
    .from(items)
    .where(
      and(
        eq(items.importId, id),
        eq(items.state, "waiting"),
        gt(items.number, first - 1),
        lt(items.number, first + count),
      ),
    )
    .orderBy(asc(items.number));
}

/** Record the components of an archive. Repeating it changes nothing. */
export async function insertItems(
  db: Database,
  id: Id<"registry_import">,
  paths: readonly string[],
): Promise<void> {
  for (let first = 0; first < paths.length; first += PATHS_A_STATEMENT) {
    const some = JSON.stringify(paths.slice(first, first + PATHS_A_STATEMENT));
    await db
      .insert(items)
      .select(
        sql`SELECT ${id}, ${first} + key, value, 'waiting', NULL, NULL, NULL, NULL FROM json_each(${some}) WHERE true`,
      )
      .onConflictDoNothing();
  }
}

/** The outcome for a component of an import. */
export type NotedOutcome = { id: Id<"registry_import">; outcome: ItemOutcome; at: number };

/** Record the outcome of a component, and that the import makes progress. */
export async function noteOutcome(db: Database, noted: NotedOutcome): Promise<void> {
  await db.batch(outcomeQueries(db, noted));
}

/**
 * For a batch: record the outcome of a component, unless it is known or a condition fails, and that the import makes
 * progress.
 */
export function outcomeQueries(
  db: Database,
  { id, outcome: { number, ...outcome }, at }: NotedOutcome,
  condition?: SQL,
) {
  return [
    db.update(imports).set({ updatedAt: at }).where(eq(imports.id, id)),
    db
      .update(items)
      .set(outcome)
      .where(
        and(
          eq(items.importId, id),
          eq(items.number, number),
          eq(items.state, "waiting"),
          condition,
        ),
      ),
  ] as const;
}
