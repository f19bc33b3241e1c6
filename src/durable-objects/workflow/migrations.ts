import {
  ARRIVALS_TABLE,
  BUDGETS,
  EVENTS_TABLE,
  REQUEST_IDS,
} from "#durable-objects/emitter/tables.ts";
import { applyMigrations } from "#durable-objects/shared/schema.ts";
import { USAGE_HOURS, USAGE_TABLE } from "#durable-objects/shared/usage-totals.ts";

import {
  ENDED_INSTANCES_TABLE,
  MESSAGES_DUE,
  MESSAGES_TABLE,
  RESUMPTIONS_TABLE,
  RUN_COMPUTE,
  STEP_INPUTS_TABLE,
  TRACE_IDS,
} from "./tables.ts";

/** Each entry is applied once, in order, and never edited after release. */
export const MIGRATIONS = [
  EVENTS_TABLE,
  ARRIVALS_TABLE,
  `CREATE TABLE deployments (id TEXT PRIMARY KEY, deployment TEXT NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE runs (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     deployment_id TEXT NOT NULL,
     source_type TEXT NOT NULL,
     emitter_id TEXT,
     hops INTEGER NOT NULL,
     event TEXT NOT NULL,
     secret TEXT NOT NULL,
     state TEXT NOT NULL,
     steps INTEGER NOT NULL DEFAULT 0,
     queued_ms INTEGER NOT NULL,
     started_ms INTEGER,
     ended_ms INTEGER,
     check_ms INTEGER,
     checks INTEGER NOT NULL DEFAULT 0,
     exit_reason TEXT,
     failure TEXT
   )`,
  `CREATE INDEX runs_open ON runs (state, seq) WHERE ended_ms IS NULL`,
  `CREATE INDEX runs_to_check ON runs (check_ms) WHERE check_ms IS NOT NULL`,
  `CREATE TABLE steps (
     run_seq INTEGER NOT NULL,
     number INTEGER NOT NULL,
     name TEXT NOT NULL,
     started_ms INTEGER NOT NULL,
     ended_ms INTEGER NOT NULL,
     verdict TEXT NOT NULL,
     logs TEXT NOT NULL,
     PRIMARY KEY (run_seq, number)
   ) WITHOUT ROWID`,
  USAGE_TABLE,
  REQUEST_IDS,
  `ALTER TABLE runs ADD COLUMN request_id TEXT`,
  ENDED_INSTANCES_TABLE,
  `INSERT INTO ended_instances (due_ms, run_id)
     SELECT ended_ms, id FROM runs WHERE ended_ms IS NOT NULL AND started_ms IS NOT NULL`,
  BUDGETS,
  `ALTER TABLE runs ADD COLUMN budget INTEGER`,
  // Null if an older release stored the exports inside of the outcome, as JSON in JSON.
  `ALTER TABLE steps ADD COLUMN exports TEXT`,
  `CREATE TABLE step_db (
     step TEXT NOT NULL,
     key TEXT NOT NULL,
     value TEXT NOT NULL,
     PRIMARY KEY (step, key)
   ) WITHOUT ROWID`,
  `ALTER TABLE runs ADD COLUMN rerun_of TEXT`,
  `ALTER TABLE runs ADD COLUMN carried INTEGER NOT NULL DEFAULT 0`,
  STEP_INPUTS_TABLE,
  RESUMPTIONS_TABLE,
  // Null for runs that began before there were versions.
  `ALTER TABLE runs ADD COLUMN version INTEGER`,
  USAGE_HOURS,
  // Each run wrote it three times, and only alarms query it: they scan the open runs.
  `DROP INDEX IF EXISTS runs_to_check`,
  RUN_COMPUTE,
  MESSAGES_TABLE,
  MESSAGES_DUE,
  TRACE_IDS,
] as const;

/** Bring a workflow's own storage up to date. Writes nothing if it is. */
export function migrate(storage: DurableObjectStorage): void {
  applyMigrations(storage, MIGRATIONS);
}
