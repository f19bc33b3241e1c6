import { eq } from "drizzle-orm";

import { type Id, isId } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { sources, workflows } from "./schema/tables.ts";

/** Whether there is such a source or workflow. */
export async function emitterExists(
  db: Database,
  id: Id<"source"> | Id<"workflow">,
): Promise<boolean> {
  const rows = isId("workflow", id)
    ? await db.select({ id: workflows.id }).from(workflows).where(eq(workflows.id, id))
    : await db.select({ id: sources.id }).from(sources).where(eq(sources.id, id));
  return rows.length > 0;
}
