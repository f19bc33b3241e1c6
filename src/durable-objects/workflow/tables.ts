/** The props of executed steps, beside their rows, which outcomes and logs may fill; none for steps without props. */
export const STEP_INPUTS_TABLE = `CREATE TABLE step_inputs (
  run_seq INTEGER NOT NULL,
  number INTEGER NOT NULL,
  input TEXT NOT NULL,
  is_truncated INTEGER NOT NULL,
  PRIMARY KEY (run_seq, number)
) WITHOUT ROWID`;

/** The requests that ended pauses, as JSON text, by the execution that paused: `$resume_data` of reruns. */
export const RESUMPTIONS_TABLE = `CREATE TABLE resumptions (
  run_seq INTEGER NOT NULL,
  number INTEGER NOT NULL,
  request TEXT NOT NULL,
  PRIMARY KEY (run_seq, number)
) WITHOUT ROWID`;

/** The instances of ended runs, from the commit of a run's end until the engine deleted its instance. */
export const ENDED_INSTANCES_TABLE = `CREATE TABLE ended_instances (
  due_ms INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (due_ms, run_id)
) WITHOUT ROWID`;

/** The column of an ended run that records its usage; null of runs that never began, and of those that an older release ended. */
export const RUN_COMPUTE = "ALTER TABLE runs ADD COLUMN compute_ms INTEGER";

/** The run whose event this one repeats, by way of others too; null: it repeats none, or began in an earlier release. */
export const TRACE_IDS = "ALTER TABLE runs ADD COLUMN trace_id TEXT";

/**
 * The messages of `$.send`: with their content until they are sent or have failed (`due_ms`), then as a record of their
 * step.
 */
export const MESSAGES_TABLE = `CREATE TABLE messages (
  run_seq INTEGER NOT NULL,
  number INTEGER NOT NULL,
  place INTEGER NOT NULL,
  step TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  message TEXT,
  bytes INTEGER NOT NULL,
  hops INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  due_ms INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  PRIMARY KEY (run_seq, number, place)
) WITHOUT ROWID`;

/** Finds the messages that are to be sent, and counts their bytes. */
export const MESSAGES_DUE =
  "CREATE INDEX messages_due ON messages (due_ms, bytes) WHERE due_ms IS NOT NULL";
