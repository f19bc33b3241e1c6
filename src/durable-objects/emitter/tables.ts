// Entries of the migrations of every object that emits: never edited after release.

/** One row is an event, its place in the outbox and its memory for dedupe: an emission costs one row written. */
export const EVENTS_TABLE = `CREATE TABLE events (
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
   )`;

/** On the first event of a run: the duration of the run, which is then metered without a row of its own. */
export const RUN_LENGTHS = "ALTER TABLE events ADD COLUMN run_ms INTEGER";

/** Beside it: whether the run failed. Null for successful runs, and for those before this was recorded. */
export const RUN_FAILURES = "ALTER TABLE events ADD COLUMN run_failed INTEGER";

/** The id of each event's first request or tick. It finds their log lines. */
export const REQUEST_IDS = "ALTER TABLE events ADD COLUMN request_id TEXT";

/** The number of runs that each event may cause; null for events from before that was counted. */
export const BUDGETS = "ALTER TABLE events ADD COLUMN budget INTEGER";

/** The received events of other emitters: each is run once, however often it is delivered. */
export const ARRIVALS_TABLE = `CREATE TABLE arrivals (
     position INTEGER NOT NULL,
     emitter_id TEXT NOT NULL,
     PRIMARY KEY (position, emitter_id)
   ) WITHOUT ROWID`;
