import { saveCursor, cursorOf } from "#db/cursors.ts";

import type { AppContext } from "../context.ts";

/** A task over all rows of a kind, one page a sweep. */
export type PagedTask = {
  name: string;
  /** Minimum time between two starts from the beginning. */
  intervalSeconds: number;
  /** Process the page after a position, at first "". `next`: null after the last one. Idempotent. */
  page: (position: string) => Promise<{ done: number; next: string | null }>;
};

/** Process the next page of a task. Returns the number of changes. The next sweep retries a failed page. */
export async function runPage(
  ctx: Pick<AppContext, "db" | "now">,
  { name, intervalSeconds, page }: PagedTask,
): Promise<number> {
  const now = ctx.now();
  const last = await cursorOf(ctx.db, name);
  const isUnderWay = last !== undefined && last.position !== null;
  if (last && !isUnderWay && now < last.startedAt + intervalSeconds) return 0;
  const [from, startedAt] = isUnderWay ? [last.position ?? "", last.startedAt] : ["", now];
  const { done, next } = await page(from);
  await saveCursor(ctx.db, name, { position: next, startedAt });
  return done;
}
