import { BUDGETS, EVENTS_TABLE, REQUEST_IDS } from "#durable-objects/emitter/tables.ts";
import { applyMigrations } from "#durable-objects/shared/schema.ts";

/** Each entry is applied once, in order, and never edited after release. */
export const MIGRATIONS = [
  // The payload comes last, so that a scan over the rest does not read it.
  `CREATE TABLE deliveries (
     position INTEGER NOT NULL,
     emitter_id TEXT NOT NULL,
     event_id TEXT NOT NULL,
     emit_id TEXT NOT NULL,
     event_name TEXT NOT NULL,
     state TEXT NOT NULL DEFAULT 'pending',
     due_ms INTEGER,
     settled_ms INTEGER,
     failures INTEGER NOT NULL DEFAULT 0,
     attempt_count INTEGER NOT NULL DEFAULT 0,
     attempts TEXT NOT NULL DEFAULT '[]',
     payload TEXT NOT NULL,
     PRIMARY KEY (position, emitter_id)
   ) WITHOUT ROWID`,
  // A delivery that succeeds at once never has a \`due_ms\`, so it costs no row here.
  `CREATE INDEX deliveries_by_due ON deliveries (due_ms) WHERE due_ms NOT NULL`,
  `ALTER TABLE deliveries ADD COLUMN hops INTEGER NOT NULL DEFAULT 1`,
  `ALTER TABLE deliveries ADD COLUMN request_id TEXT`,
  `ALTER TABLE deliveries ADD COLUMN budget INTEGER`,
  EVENTS_TABLE,
  REQUEST_IDS,
  BUDGETS,
  `ALTER TABLE deliveries ADD COLUMN last_response TEXT`,
  `CREATE TABLE batches (id INTEGER PRIMARY KEY, deliveries TEXT NOT NULL)`,
] as const;

/** Bring a webhook's own storage up to date. Writes nothing if it is. */
export function migrate(storage: DurableObjectStorage): void {
  applyMigrations(storage, MIGRATIONS);
}
