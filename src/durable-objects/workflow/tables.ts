/** The instances of ended runs, from the commit of a run's end until the engine deleted its instance. */
export const ENDED_INSTANCES_TABLE = `CREATE TABLE ended_instances (
  due_ms INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (due_ms, run_id)
) WITHOUT ROWID`;
