import { applyMigrations } from "../objects/schema.ts";

/** Each entry is applied once, in order, and never edited after release. */
const MIGRATIONS = [
  // One row is an event, its place in the outbox and its memory for dedupe: an emission costs one row written.
  `CREATE TABLE events (
     position INTEGER PRIMARY KEY,
     channel TEXT NOT NULL,
     emit_id TEXT NOT NULL,
     dedupe_id TEXT,
     undelivered INTEGER NOT NULL,
     hidden INTEGER NOT NULL DEFAULT 0,
     due_ms INTEGER,
     target TEXT,
     hops INTEGER NOT NULL,
     meta TEXT NOT NULL,
     payload TEXT NOT NULL
   )`,
  `CREATE TABLE service_db (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE inbox (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     event TEXT NOT NULL,
     timer TEXT,
     hops INTEGER NOT NULL,
     attempts INTEGER NOT NULL
   )`,
  // The events of other emitters that have arrived here: each is run once, however often it is delivered.
  `CREATE TABLE arrivals (
     position INTEGER NOT NULL,
     emitter_id TEXT NOT NULL,
     PRIMARY KEY (position, emitter_id)
   ) WITHOUT ROWID`,
] as const;

/** Bring a source's own storage up to date. Writes nothing when it is. */
export function migrate(storage: DurableObjectStorage): void {
  applyMigrations(storage, MIGRATIONS);
}
