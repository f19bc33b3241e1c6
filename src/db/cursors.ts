import { eq } from "drizzle-orm";

import type { Database } from "./client.ts";
import { walks } from "./schema/maintenance.ts";

/** `position` null: the task is at the end. `startedAt`: epoch seconds. */
export type Cursor = { position: string | null; startedAt: number };

export async function cursorOf(db: Database, name: string): Promise<Cursor | undefined> {
  const [cursor] = await db.select().from(walks).where(eq(walks.name, name));
  return cursor;
}

/** Store the position of a task. */
export async function saveCursor(db: Database, name: string, cursor: Cursor): Promise<void> {
  await db
    .insert(walks)
    .values({ name, ...cursor })
    .onConflictDoUpdate({ target: walks.name, set: cursor });
}
