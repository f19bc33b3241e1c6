/** The activity of an hour. `deliveries` counts attempts, and `failedDeliveries` those of them that failed. */
export type Activity = {
  runs: number;
  failures: number;
  events: number;
  deliveries: number;
  failedDeliveries: number;
};

/** The order in which counts are stored: a later release appends, and an absent count is 0. */
export const COUNTS = ["runs", "failures", "events", "deliveries", "failedDeliveries"] as const;

/** The activity of one UTC day, by hour from 0 to 23: counts in the order of `COUNTS`. Hours without any are absent. */
export type HourCounts = Readonly<Record<string, readonly number[]>>;

/** One hour and its activity. `at`: its begin, epoch seconds. */
export type ActivityPoint = Activity & { at: number };

export const HOUR_SECONDS = 3600;

/** Number of days with stored hourly counts: 168 hours, as many before them to compare with, and today. */
export const ACTIVITY_DAYS = 15;

export const NO_ACTIVITY: Activity = {
  runs: 0,
  failures: 0,
  events: 0,
  deliveries: 0,
  failedDeliveries: 0,
};

/** The counts of one hour, as a day has them. */
export function countsAt(atMs: number, counted: Partial<Activity>): HourCounts {
  return { [new Date(atMs).getUTCHours()]: COUNTS.map((name) => counted[name] ?? 0) };
}

/** The sum of two parts of a day. */
export function addHours(a: HourCounts, b: HourCounts): HourCounts {
  const sums = Object.entries(b).map(([hour, counts]) => {
    const known = a[hour] ?? [];
    const length = Math.max(known.length, counts.length);
    return [hour, Array.from({ length }, (_, at) => (known[at] ?? 0) + (counts[at] ?? 0))] as const;
  });
  return { ...a, ...Object.fromEntries(sums) };
}

/** The sum of two spans. */
export function addActivity(a: Activity, b: Activity): Activity {
  return {
    runs: a.runs + b.runs,
    failures: a.failures + b.failures,
    events: a.events + b.events,
    deliveries: a.deliveries + b.deliveries,
    failedDeliveries: a.failedDeliveries + b.failedDeliveries,
  };
}

/** The last hours up to the current one, and as many before them, each by its begin in epoch seconds. */
export function spanOf(now: number, hours: number): { from: number; to: number; before: number } {
  const to = (Math.floor(now / HOUR_SECONDS) + 1) * HOUR_SECONDS;
  const from = to - hours * HOUR_SECONDS;
  return { from, to, before: from - hours * HOUR_SECONDS };
}

/** Every hour of a span in order, including those without activity. */
export function everyHour(
  { from, to }: { from: number; to: number },
  known: readonly ActivityPoint[],
): ActivityPoint[] {
  const byHour = new Map(known.map((point) => [point.at, point]));
  const count = (to - from) / HOUR_SECONDS;
  return Array.from({ length: count }, (_, index) => {
    const at = from + index * HOUR_SECONDS;
    return byHour.get(at) ?? { at, ...NO_ACTIVITY };
  });
}
