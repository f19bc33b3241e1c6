import { and, eq, type SQL, sql } from "drizzle-orm";

import type { Id } from "#domain/ids.ts";

import type { Account } from "./accounts.ts";
import type { Database } from "./client.ts";
import { sources, workflows } from "./schema/tables.ts";

/** The sources and workflows that use an account, which have the same owner. At most a hundred of each. */
export type AccountUses = {
  sources: { id: Id<"source">; name: string }[];
  workflows: { id: Id<"workflow">; name: string }[];
};

/** The sources and workflows with an account in their props, oldest first. */
export async function usesOf(
  db: Database,
  { id, ownerId }: Pick<Account, "id" | "ownerId">,
): Promise<AccountUses> {
  const names = (column: SQL) => sql`instr(${column}, ${JSON.stringify(id)}) > 0`;
  const [ofSources, ofWorkflows] = await db.batch([
    db
      .select({ id: sources.id, name: sources.name })
      .from(sources)
      .where(
        and(
          eq(sources.ownerId, ownerId),
          eq(sources.state, "live"),
          names(sql`${sources.shownProps}`),
        ),
      )
      .orderBy(sources.seq)
      .limit(100),
    db
      .select({ id: workflows.id, name: workflows.name })
      .from(workflows)
      .where(and(eq(workflows.ownerId, ownerId), names(sql`${workflows.steps}`)))
      .orderBy(workflows.seq)
      .limit(100),
  ]);
  return { sources: ofSources, workflows: ofWorkflows };
}
