import type { DatabaseSync } from "node:sqlite";

import type { Story } from "./story.ts";

const DAYS = 14;
const HOUR_MS = 3_600_000;

/** The load of each hour of a day, relative to the busiest. */
const BUSINESS = [2, 1, 1, 1, 1, 2, 4, 7, 9, 10, 9, 8, 9, 8, 8, 9, 9, 10, 9, 7, 6, 5, 4, 3];

/** An emitter's busiest hour: runs, failures, events, deliveries and those of them that failed. */
type Busiest = [number, number, number, number, number];

/** Write a shop's history: the activity of its sources, workflows and webhooks in each hour of two weeks. */
export function rememberPast(db: DatabaseSync, story: Story, nowMs: number): void {
  const emitters: [id: string, busiest: Busiest][] = [
    [story.orders.id, [180, 0, 178, 0, 0]],
    [story.payments, [120, 0, 120, 0, 0]],
    [story.stock, [4, 0, 4, 0, 0]],
    [story.fulfil, [60, 2, 0, 0, 0]],
    [story.warehouse, [0, 0, 0, 178, 1]],
    [story.bookkeeping, [0, 0, 0, 110, 9]],
  ];
  const put =
    db.prepare(`INSERT INTO usage (owner_id, day, emitter_id, invocations, compute_ms, credits, hours)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET invocations = invocations + excluded.invocations,
      compute_ms = compute_ms + excluded.compute_ms, credits = credits + excluded.credits,
      hours = json_patch(excluded.hours, coalesce(hours, '{}'))`);
  const putOwner =
    db.prepare(`INSERT INTO owner_usage (owner_id, day, invocations, compute_ms, credits, hours)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET invocations = invocations + excluded.invocations,
      compute_ms = compute_ms + excluded.compute_ms, credits = credits + excluded.credits,
      hours = json_patch(excluded.hours, coalesce(hours, '{}'))`);
  for (let ago = 0; ago < DAYS; ago += 1) {
    const day = new Date(nowMs - ago * 24 * HOUR_MS).toISOString().slice(0, 10);
    const all: Record<string, number[]> = {};
    for (const [emitter, busiest] of emitters) {
      const hours = hoursOf(Date.parse(day), nowMs, busiest);
      const runs = runsIn(hours);
      put.run(story.person.id, day, emitter, runs, runs * 9, runs, JSON.stringify(hours));
      for (const [hour, counts] of Object.entries(hours))
        all[hour] = counts.map((count, place) => count + (all[hour]?.[place] ?? 0));
    }
    const runs = runsIn(all);
    putOwner.run(story.person.id, day, runs, runs * 9, runs, JSON.stringify(all));
  }
}

function runsIn(hours: Record<string, number[]>): number {
  return Object.values(hours).reduce((sum, [count = 0]) => sum + count, 0);
}

/** The past hours of a day, by their number. */
function hoursOf(dayMs: number, nowMs: number, busiest: Busiest): Record<string, number[]> {
  const over = BUSINESS.map((share, hour) => ({ share, hour })).filter(
    ({ hour }) => dayMs + (hour + 1) * HOUR_MS <= nowMs,
  );
  return Object.fromEntries(
    over.map(({ share, hour }) => {
      const swing = 0.85 + 0.15 * Math.sin(dayMs / 1e8 + hour * 1.7);
      return [hour, busiest.map((count) => Math.round((count * share * swing) / 10))];
    }),
  );
}
