import { and, count, desc, eq, lte } from "drizzle-orm";

import type { OwnerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Database } from "./client.ts";
import { newestFirst, pageBounds } from "./page.ts";
import { mailbox } from "./schema/mailbox.ts";

export type KeptMail = typeof mailbox.$inferSelect;

/** Maximum number of stored mails. */
const MAX_KEPT = 1000;

/** Store a mail, unless it is stored already. */
export async function keepMail(db: Database, mail: Omit<KeptMail, "seq">): Promise<void> {
  const oldest = db
    .select({ seq: mailbox.seq })
    .from(mailbox)
    .orderBy(desc(mailbox.seq))
    .limit(1)
    .offset(MAX_KEPT);
  await db.batch([
    db.insert(mailbox).values(mail).onConflictDoNothing(),
    db.delete(mailbox).where(lte(mailbox.seq, oldest)),
  ]);
}

/** The mails of one owner's workflows; of every owner's if none is given. */
export async function pageOfMail(
  db: Database,
  owner: OwnerId | undefined,
  request: PageRequest,
): Promise<Page<KeptMail>> {
  const owned = owner && eq(mailbox.ownerId, owner);
  const { within, order } = pageBounds(mailbox.seq, request);
  const [items, [total]] = await db.batch([
    db.select().from(mailbox).where(and(owned, within)).orderBy(order).limit(request.limit),
    db.select({ count: count() }).from(mailbox).where(owned),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}
