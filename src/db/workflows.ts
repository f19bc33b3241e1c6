import { and, eq } from "drizzle-orm";

import type { Id } from "../domain/ids.ts";
import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { workflows } from "./schema.ts";

export type Workflow = typeof workflows.$inferSelect;

/** A workflow that the user may see. */
export async function workflowById(
  db: Database,
  user: Id<"user">,
  id: Id<"workflow">,
): Promise<Workflow | undefined> {
  const [workflow] = await db
    .select()
    .from(workflows)
    .where(and(eq(workflows.id, id), isAccessible(db, workflows.ownerId, user)));
  return workflow;
}
