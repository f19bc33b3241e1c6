import { applyMigrations } from "#durable-objects/shared/schema.ts";

/** Each entry is applied once, in order, and never edited after release. */
export const MIGRATIONS = [
  `CREATE TABLE scripts (
     name TEXT PRIMARY KEY,
     owner_id TEXT NOT NULL,
     bundle_hash TEXT NOT NULL,
     state TEXT NOT NULL,
     uploaded_ms INTEGER NOT NULL,
     provided_ms INTEGER NOT NULL,
     checked_ms INTEGER NOT NULL,
     unused_since_ms INTEGER
   ) WITHOUT ROWID`,
  `CREATE INDEX scripts_by_check ON scripts (checked_ms)`,
  `CREATE INDEX scripts_unused ON scripts (unused_since_ms) WHERE unused_since_ms NOT NULL`,
] as const;

/** Bring the register of a namespace up to date. Writes nothing if it is. */
export function migrate(storage: DurableObjectStorage): void {
  applyMigrations(storage, MIGRATIONS);
}
