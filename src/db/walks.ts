import { eq } from "drizzle-orm";

import type { Database } from "./client.ts";
import { walks } from "./schema/maintenance.ts";

/** `position` null: it has come to the end. Epoch seconds. */
export type Walk = { position: string | null; startedAt: number };

export async function walkOf(db: Database, name: string): Promise<Walk | undefined> {
  const [walk] = await db.select().from(walks).where(eq(walks.name, name));
  return walk;
}

/** Keep how far a walk has come. */
export async function keepWalk(db: Database, name: string, walk: Walk): Promise<void> {
  await db
    .insert(walks)
    .values({ name, ...walk })
    .onConflictDoUpdate({ target: walks.name, set: walk });
}
