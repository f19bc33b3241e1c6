const DAY_MS = 86_400_000;

/** About how many days of a chart have room for their names. */
const MAX_LABELS = 8;

const format = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

/**
 * The name of a day under a chart of so many days; empty where it would touch its neighbour's. Charts count the days of each
 * month anew, so that those around its first stand closer than the others.
 */
export function dayTick(atMs: number, days: number): string {
  const gap = Math.ceil(days / MAX_LABELS);
  const date = new Date(atMs);
  const sinceFirst = date.getUTCDate() - 1;
  const nextFirstMs = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  const untilFirst = (nextFirstMs - atMs) / DAY_MS;
  const isClose = sinceFirst > 0 && (sinceFirst < gap || untilFirst < gap);
  return isClose ? "" : format.format(date);
}
