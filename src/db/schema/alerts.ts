import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

import type { AlertKind } from "#domain/alerts.ts";

import { ownership, seq } from "./columns.ts";

/** The alerts of sources, workflows and webhooks, as their objects have reported them. Deleted with their subjects. */
export const alerts = sqliteTable(
  "alerts",
  {
    seq,
    ownerId: ownership.ownerId,
    subjectId: text("subject_id").notNull(),
    kind: text("kind").$type<AlertKind>().notNull(),
    /** The timer prop, if a subject may have several; else empty. */
    about: text("about").notNull(),
    /** Epoch milliseconds: the begin and the end of the condition; null: it has not ended. */
    sinceMs: integer("since_ms").notNull(),
    endedMs: integer("ended_ms"),
    message: text("message").notNull(),
    error: text("error", { mode: "json" }).$type<{ name: string; message: string }>(),
    /** The number of occurrences, as of the last report. */
    count: integer("count").notNull(),
    /** The version of the report that wrote this: an older one that arrives late changes nothing. */
    version: integer("version").notNull(),
  },
  (t) => [
    uniqueIndex("alerts_by_subject").on(t.subjectId, t.kind, t.about, t.sinceMs),
    index("alerts_by_owner").on(t.ownerId, t.seq),
  ],
);

/**
 * The sources and workflows whose accounts have changed and that have not been notified. The database derives it from
 * `accounts`, so that no deletion and no mark as dead can omit it.
 */
export const accountChecks = sqliteTable("account_checks", {
  subjectId: text("subject_id").primaryKey(),
  /** Counts the changes: a change while a subject is being notified is not lost. */
  changes: integer("changes").notNull(),
});
