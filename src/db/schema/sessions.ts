import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

import type { Id } from "#domain/ids.ts";

import { createdAt, seq } from "./columns.ts";

/** Sessions of the console, by the cookie of a browser. Rows of a user or an API key are deleted with it. */
export const sessions = sqliteTable(
  "sessions",
  {
    seq,
    id: text("id").$type<Id<"session">>().notNull(),
    /** SHA-256 of the cookie's secret in hex. The secret itself is not stored. */
    hash: text("hash").notNull(),
    /** Null: it is an operator's alone. */
    userId: text("user_id").$type<Id<"user">>(),
    /** Of the API key that created it, without which it opens nothing; null: there was none. */
    keyHash: text("key_hash"),
    /** Whether Cloudflare Access authenticated the user. */
    isAsserted: integer("is_asserted", { mode: "boolean" }).notNull(),
    /** SHA-256 of the cookie's secret with the admin token: another token ends it. Null: it is no operator's. */
    operatorHash: text("operator_hash"),
    createdAt,
    expiresAt: integer("expires_at").notNull(),
    /** Written at most every five minutes. */
    lastSeenAt: integer("last_seen_at").notNull(),
    userAgent: text("user_agent"),
  },
  (t) => [
    uniqueIndex("sessions_by_hash").on(t.hash),
    uniqueIndex("sessions_by_id").on(t.id),
    index("sessions_by_user").on(t.userId, t.seq),
    index("sessions_by_key").on(t.keyHash),
    index("sessions_by_expiry").on(t.expiresAt),
  ],
);

/** Links that sign in to the console, once. */
export const consoleLinks = sqliteTable(
  "console_links",
  {
    /** SHA-256 of the link's secret in hex. */
    hash: text("hash").primaryKey(),
    /** The user who is signed in; null: an operator alone. */
    userId: text("user_id").$type<Id<"user">>(),
    isOperator: integer("is_operator", { mode: "boolean" }).notNull(),
    createdAt,
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [
    index("console_links_by_user").on(t.userId),
    index("console_links_by_expiry").on(t.expiresAt),
  ],
);
