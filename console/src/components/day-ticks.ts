const DAY_MS = 86_400_000;

/** The approximate number of days of a chart with room for their names. */
const MAX_LABELS = 8;

const format = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

/**
 * The name of a day under a chart of so many days; empty if it would touch its neighbour. Charts restart the count of
 * days with each month, so those around its first day are closer than the others.
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
