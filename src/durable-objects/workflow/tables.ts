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
