import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

import type { OwnerId } from "#domain/ids.ts";

/** Network usage of each owner's components by UTC day. */
export const egressUsage = sqliteTable(
  "egress_usage",
  {
    ownerId: text("owner_id").$type<OwnerId>().notNull(),
    /** `YYYY-MM-DD` */
    day: text("day").notNull(),
    requests: integer("requests").notNull(),
    sentBytes: integer("sent_bytes").notNull(),
    receivedBytes: integer("received_bytes").notNull(),
    unmeasured: integer("unmeasured").notNull(),
  },
  (t) => [primaryKey({ columns: [t.ownerId, t.day] })],
);
