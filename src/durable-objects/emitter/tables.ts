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

/** On the first event of a run: how long the run took, which is then metered without a row of its own. */
export const RUN_LENGTHS = "ALTER TABLE events ADD COLUMN run_ms INTEGER";

/** Beside it: whether the run failed. Null of runs that did not, and of those before this was recorded. */
export const RUN_FAILURES = "ALTER TABLE events ADD COLUMN run_failed INTEGER";

/** The id of the request or tick that each event began with. Log lines are found by it. */
export const REQUEST_IDS = "ALTER TABLE events ADD COLUMN request_id TEXT";

/** How many runs each event may lead to; null of events from before that was counted. */
export const BUDGETS = "ALTER TABLE events ADD COLUMN budget INTEGER";

/** The events of other emitters that have arrived: each is run once, however often it is delivered. */
export const ARRIVALS_TABLE = `CREATE TABLE arrivals (
     position INTEGER NOT NULL,
     emitter_id TEXT NOT NULL,
     PRIMARY KEY (position, emitter_id)
   ) WITHOUT ROWID`;
