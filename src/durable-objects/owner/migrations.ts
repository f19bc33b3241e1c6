import { applyMigrations } from "#durable-objects/shared/schema.ts";

/** Each entry is applied once, in order, and never edited after release. */
const MIGRATIONS = [
  // Long lists are stored in several parts, because a row has room for 2 MB.
  `CREATE TABLE routes (
     emitter_id TEXT NOT NULL,
     part INTEGER NOT NULL,
     read_ms INTEGER NOT NULL,
     routes TEXT NOT NULL,
     PRIMARY KEY (emitter_id, part)
   ) WITHOUT ROWID`,
  `CREATE TABLE route_changes (
     id TEXT PRIMARY KEY,
     began_ms INTEGER NOT NULL,
     emitters TEXT NOT NULL
   ) WITHOUT ROWID`,
  // Usage that is not in D1 yet.
  `CREATE TABLE usage_reports (
     emitter_id TEXT PRIMARY KEY,
     project_id TEXT,
     days TEXT NOT NULL,
     since_ms INTEGER NOT NULL
   ) WITHOUT ROWID`,
  // The totals of webhooks, which do not store them themselves. With a null in since_ms they are in D1.
  `CREATE TABLE delivery_reports (
     webhook_id TEXT PRIMARY KEY,
     process INTEGER NOT NULL,
     before TEXT NOT NULL,
     days TEXT NOT NULL,
     since_ms INTEGER
   ) WITHOUT ROWID`,
  // Of a payer with quotas: the part of the usage that D1 has. Rows with a 0 in since_ms are in D1 as a whole.
  "ALTER TABLE usage_reports ADD COLUMN written TEXT",
  // The next ticks of its timers as last reported: such a row stays.
  "ALTER TABLE usage_reports ADD COLUMN timers TEXT",
  // The storage of sources, workflows and webhooks.
  "CREATE TABLE stored_bytes (object_id TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID",
] as const;

/** Bring the own storage of an owner's object up to date. Writes nothing if it is. */
export function migrate(storage: DurableObjectStorage): void {
  applyMigrations(storage, MIGRATIONS);
}
