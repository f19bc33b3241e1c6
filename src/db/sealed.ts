import { and, gt, lte, max, ne, sql } from "drizzle-orm";

import type { Id } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { accounts, oauthApps } from "./schema/accounts.ts";
import { projectWebhooks } from "./schema/connect.ts";
import { sources, webhooks, workflows } from "./schema/tables.ts";

/** Rows in order of creation: those after `after` up to `upTo`. */
export type Stretch = { after: number; upTo: number };

export type SealedAccount = Pick<typeof accounts.$inferSelect, "id" | "ownerId" | "credentials">;
export type SealedApp = Pick<typeof oauthApps.$inferSelect, "app" | "clientSecret">;
export type SealedProjectWebhook = Pick<
  typeof projectWebhooks.$inferSelect,
  "projectId" | "environment" | "signingKey"
>;

export type SealedRows = {
  projectWebhooks: SealedProjectWebhook[];
  accounts: SealedAccount[];
  apps: SealedApp[];
  sources: Id<"source">[];
  webhooks: Id<"webhook">[];
  workflows: Id<"workflow">[];
  /** Whether the stretch is the last one. */
  isLast: boolean;
};

/** The order of creation of rows in a table without a column for it. */
const rowid = sql<number>`rowid`;

/**
 * Rows with sealed values in a range of all accounts, sources, webhooks and workflows. The few apps are in the first
 * range.
 */
export async function sealedRows(db: Database, { after, upTo }: Stretch): Promise<SealedRows> {
  const [accountRows, appRows, sourceRows, webhookRows, workflowRows, projectRows, ...lasts] =
    await db.batch([
      db
        .select({ id: accounts.id, ownerId: accounts.ownerId, credentials: accounts.credentials })
        .from(accounts)
        .where(and(gt(accounts.seq, after), lte(accounts.seq, upTo))),
      db
        .select({ app: oauthApps.app, clientSecret: oauthApps.clientSecret })
        .from(oauthApps)
        .where(after === 0 ? undefined : ne(oauthApps.app, oauthApps.app)),
      db
        .select({ id: sources.id })
        .from(sources)
        .where(and(gt(sources.seq, after), lte(sources.seq, upTo))),
      db
        .select({ id: webhooks.id })
        .from(webhooks)
        .where(and(gt(webhooks.seq, after), lte(webhooks.seq, upTo))),
      db
        .select({ id: workflows.id })
        .from(workflows)
        .where(and(gt(workflows.seq, after), lte(workflows.seq, upTo))),
      db
        .select({
          projectId: projectWebhooks.projectId,
          environment: projectWebhooks.environment,
          signingKey: projectWebhooks.signingKey,
        })
        .from(projectWebhooks)
        .where(and(gt(rowid, after), lte(rowid, upTo))),
      db.select({ seq: sql<number | null>`max(rowid)` }).from(projectWebhooks),
      db.select({ seq: max(accounts.seq) }).from(accounts),
      db.select({ seq: max(sources.seq) }).from(sources),
      db.select({ seq: max(webhooks.seq) }).from(webhooks),
      db.select({ seq: max(workflows.seq) }).from(workflows),
    ]);
  return {
    accounts: accountRows,
    apps: appRows,
    projectWebhooks: projectRows,
    sources: sourceRows.map(({ id }) => id),
    webhooks: webhookRows.map(({ id }) => id),
    workflows: workflowRows.map(({ id }) => id),
    isLast: lasts.every(([last]) => upTo >= (last?.seq ?? 0)),
  };
}
