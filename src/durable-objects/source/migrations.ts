import {
  ARRIVALS_TABLE,
  BUDGETS,
  EVENTS_TABLE,
  REQUEST_IDS,
  RUN_FAILURES,
  RUN_LENGTHS,
} from "#durable-objects/emitter/tables.ts";
import { applyMigrations } from "#durable-objects/shared/schema.ts";
import { USAGE_HOURS, USAGE_TABLE } from "#durable-objects/shared/usage-totals.ts";

/** Each entry is applied once, in order, and never edited after release. */
export const MIGRATIONS = [
  EVENTS_TABLE,
  `CREATE TABLE service_db (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE inbox (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     event TEXT NOT NULL,
     timer TEXT,
     hops INTEGER NOT NULL,
     attempts INTEGER NOT NULL
   )`,
  ARRIVALS_TABLE,
  RUN_LENGTHS,
  USAGE_TABLE,
  // A run keeps its id over retries if a caller has received it.
  `ALTER TABLE inbox ADD COLUMN run_id TEXT`,
  REQUEST_IDS,
  `ALTER TABLE inbox ADD COLUMN request_id TEXT`,
  BUDGETS,
  `ALTER TABLE inbox ADD COLUMN budget INTEGER`,
  RUN_FAILURES,
  USAGE_HOURS,
  // The version of the platform that started the last attempt, and the attempts that another version found interrupted.
  `ALTER TABLE inbox ADD COLUMN version TEXT`,
  `ALTER TABLE inbox ADD COLUMN interrupted INTEGER NOT NULL DEFAULT 0`,
] as const;

/** Bring a source's own storage up to date. Writes nothing if it is. */
export function migrate(storage: DurableObjectStorage): void {
  applyMigrations(storage, MIGRATIONS);
}
