import { applyMigrations } from "#durable-objects/shared/schema.ts";

/** Each entry is applied once, in order, and never edited after release. */
export const MIGRATIONS = [
  // The value comes last, so that a scan over the rest does not read it.
  `CREATE TABLE records (
     key TEXT PRIMARY KEY,
     expires_ms INTEGER,
     updated_ms INTEGER NOT NULL,
     bytes INTEGER NOT NULL,
     value TEXT NOT NULL
   ) WITHOUT ROWID`,
  `CREATE INDEX records_by_expiry ON records (expires_ms) WHERE expires_ms NOT NULL`,
  `CREATE TABLE totals (records INTEGER NOT NULL, bytes INTEGER NOT NULL)`,
  `INSERT INTO totals (records, bytes) VALUES (0, 0)`,
] as const;

/** Bring a data store's own storage up to date. Writes nothing if it is. */
export function migrate(storage: DurableObjectStorage): void {
  applyMigrations(storage, MIGRATIONS);
}
