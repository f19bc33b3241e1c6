import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

import { createdAt, seq, workflowMail } from "./columns.ts";

/** Mail of workflows, if no email binding sends it: on a laptop. */
export const mailbox = sqliteTable(
  "mailbox",
  {
    seq,
    /** Identifies the mail for good, so that sending it twice stores it once. */
    id: text("id").notNull(),
    ...workflowMail,
    createdAt,
  },
  (t) => [uniqueIndex("mailbox_by_id").on(t.id), index("mailbox_by_owner").on(t.ownerId, t.seq)],
);
