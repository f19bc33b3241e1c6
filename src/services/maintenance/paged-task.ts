import { saveCursor, cursorOf } from "#db/cursors.ts";

import type { AppContext } from "../context.ts";

/** A task over all rows of a kind, one page a sweep. */
export type PagedTask = {
  name: string;
  /** It begins anew no sooner than this after it began. */
  intervalSeconds: number;
  /** Do the page after a position, at first "". `next` null: that was the last one. Doing a page twice changes nothing. */
  page: (position: string) => Promise<{ done: number; next: string | null }>;
};

/** Do the next page of a task. Returns how much was done. A failed page is retried by the next sweep. */
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
