import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

import { createdAt } from "./columns.ts";

/** The progress of each task of the sweep. */
export const walks = sqliteTable("walks", {
  name: text("name").primaryKey(),
  /** Null: it has reached the end. */
  position: text("position"),
  /** Epoch seconds. */
  startedAt: integer("started_at").notNull(),
});

/** Deleted resources with objects of their own, which the sweep deletes, too. */
export const removals = sqliteTable("removals", {
  id: text("id").primaryKey(),
  createdAt,
});

/** Unused objects of the code store, and the time at which the sweep first found each unused. */
export const unusedCode = sqliteTable("unused_code", {
  name: text("name").primaryKey(),
  /** Epoch seconds. */
  since: integer("since").notNull(),
});

/** The package set of each bundle in the code store, as far as the sweep has read them. */
export const bundlePackages = sqliteTable(
  "bundle_packages",
  {
    bundleHash: text("bundle_hash").primaryKey(),
    /** Empty: none. */
    packagesHash: text("packages_hash").notNull(),
  },
  (t) => [index("bundle_packages_by_packages").on(t.packagesHash)],
);
