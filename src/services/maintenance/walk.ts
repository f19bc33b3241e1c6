import { keepWalk, walkOf } from "#db/walks.ts";

import type { AppContext } from "../context.ts";

/** A walk over all of something, a page a sweep. */
export type Walk = {
  name: string;
  /** It begins anew no sooner than this after it began. */
  intervalSeconds: number;
  /** Do the page after a position, at first "". `next` null: that was the last one. Doing a page twice changes nothing. */
  page: (position: string) => Promise<{ done: number; next: string | null }>;
};

/** Go on with a walk by one page. Returns how much was done. A page that fails is tried again by the next sweep. */
export async function walkOn(
  ctx: AppContext,
  { name, intervalSeconds, page }: Walk,
): Promise<number> {
  const now = ctx.now();
  const last = await walkOf(ctx.db, name);
  const isUnderWay = last !== undefined && last.position !== null;
  if (last && !isUnderWay && now < last.startedAt + intervalSeconds) return 0;
  const [from, startedAt] = isUnderWay ? [last.position ?? "", last.startedAt] : ["", now];
  const { done, next } = await page(from);
  await keepWalk(ctx.db, name, { position: next, startedAt });
  return done;
}
