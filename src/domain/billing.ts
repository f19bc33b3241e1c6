import { addHours, countsAt, type HourCounts } from "./activity.ts";
import type { Id, OwnerId } from "./ids.ts";
import type { Tick } from "./schedule.ts";

/** The UTC day of a time in epoch seconds, `YYYY-MM-DD`, by which usage is counted. */
export function dayOf(at: number): string {
  return new Date(at * 1000).toISOString().slice(0, "YYYY-MM-DD".length);
}

/** The calendar month (UTC) that a time in epoch seconds lies in: both ends in epoch seconds, the end exclusive. */
export function billingPeriodOf(at: number): { startAt: number; endAt: number } {
  const date = new Date(at * 1000);
  const monthStart = (ahead: number) =>
    Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead) / 1000;
  return { startAt: monthStart(0), endAt: monthStart(1) };
}

/** The end of the UTC day of a time in epoch seconds: the first second of the next one. */
export function endOfDay(at: number): number {
  return (Math.floor(at / DAY_SECONDS) + 1) * DAY_SECONDS;
}

export const DAY_SECONDS = 24 * 3600;

/**
 * Number of days for which reports of emitters are accepted: a later one could be a repeated one. Rows are kept for
 * longer.
 */
export const EMITTER_DAYS = 7;

/** Number of days for which each owner's usage is kept: this month, and a year to compare it with. */
export const OWNER_DAYS = 400;

/** Time for which the object of an owner gathers usage before it writes it to D1, unless it is read earlier. */
export const USAGE_FLUSH_SECONDS = 300;

/** Compute time of one credit. */
const CREDIT_MS = 30_000;

/** The credits of a run of this duration: one for each started 30 s. */
export function creditsOf(computeMs: number): number {
  return Math.ceil(computeMs / CREDIT_MS);
}

/** Usage: number of runs, their duration and their credits. */
export type Used = { invocations: number; computeMs: number; credits: number };

export const NOTHING_USED: Used = { invocations: 0, computeMs: 0, credits: 0 };

/** The sum of two usages, the second one with a sign. */
export function addUsed(one: Used, other: Used, sign: 1 | -1 = 1): Used {
  return {
    invocations: one.invocations + sign * other.invocations,
    computeMs: one.computeMs + sign * other.computeMs,
    credits: one.credits + sign * other.credits,
  };
}

/**
 * Usage of one source or workflow on one UTC day so far. It only grows, so the larger of two totals is the later one.
 */
export type DayUsage = Used & {
  day: string;
  /** Its activity by hour; absent for usage outside the runs of an emitter. */
  hours?: HourCounts;
};

/** The usage report of a source or a workflow: totals, so that a repeated report changes nothing. */
export type UsageReport = {
  ownerId: OwnerId;
  emitterId: Id<"source"> | Id<"workflow">;
  days: DayUsage[];
  /** The next ticks of its timers; absent in reports of older releases, and of shards. */
  timers?: Tick[];
  /** The project of the external user who owns the emitter and does not pay: the payer's object receives it. */
  projectId?: Id<"project"> | null;
  /** The size of its storage; absent from an object that still runs an older release. */
  storedBytes?: number;
};

/** Usage that is added to a payer's: reports of sources and workflows, and of webhooks. */
export type PayerUsage = {
  payerId: OwnerId;
  /** `projectId`: the project of the external user who owns the emitter. */
  emitters: (Pick<UsageReport, "emitterId" | "days"> & { projectId: Id<"project"> | null })[];
  webhooks: { webhookId: Id<"webhook">; days: DayDeliveries[] }[];
};

/** Merge two reports of an emitter, either of which may be the later one: for each day the larger totals. */
export function laterUsage(a: readonly DayUsage[], b: readonly DayUsage[]): DayUsage[] {
  const days = new Map(a.map((usage) => [usage.day, usage]));
  for (const usage of b) {
    const known = days.get(usage.day);
    if (!known || totalOf(usage) > totalOf(known)) days.set(usage.day, usage);
  }
  return [...days.values()].toSorted((one, other) => one.day.localeCompare(other.day));
}

/**
 * The usage of each day that one report of an emitter has and the one before has not. That of past days counts for today:
 * their totals may be complete already.
 */
export function usageSince(
  before: readonly DayUsage[],
  later: readonly DayUsage[],
  nowMs: number,
): DayUsage[] {
  const known = new Map(before.map((usage) => [usage.day, usage]));
  return later
    .map((usage) => differenceOf(usage, known.get(usage.day)))
    .filter((usage) => totalOf(usage) > 0)
    .map((usage) => countedToday(usage, nowMs));
}

/** The days of an emitter that may still be in a report. */
export function recentUsage(days: readonly DayUsage[], nowMs: number): DayUsage[] {
  const first = dayOf(nowMs / 1000 - EMITTER_DAYS * DAY_SECONDS);
  return days.filter(({ day }) => day >= first);
}

function differenceOf(usage: DayUsage, known: DayUsage | undefined): DayUsage {
  if (!known) return usage;
  const { hours: all = {}, ...totals } = known;
  const negative = Object.entries(all).map(([hour, counts]) => [hour, counts.map((one) => -one)]);
  return {
    day: usage.day,
    invocations: usage.invocations - totals.invocations,
    computeMs: usage.computeMs - totals.computeMs,
    credits: usage.credits - totals.credits,
    hours: addHours(usage.hours ?? {}, Object.fromEntries(negative)),
  };
}

function countedToday({ hours = {}, ...usage }: DayUsage, nowMs: number): DayUsage {
  const today = dayOf(nowMs / 1000);
  if (usage.day >= today) return { ...usage, hours };
  const hour = String(new Date(nowMs).getUTCHours());
  const moved = Object.values(hours).map((counts) => ({ [hour]: counts }));
  return {
    ...usage,
    day: today,
    hours: moved.reduce<HourCounts>((sum, counts) => addHours(sum, counts), {}),
  };
}

/** Totals only grow, so their sum shows which of two is the later one. */
function totalOf({ invocations, computeMs }: DayUsage): number {
  return invocations + computeMs;
}

/** Egress of an owner's components: requests, and bytes of bodies with a known length. */
export type Egress = {
  requests: number;
  sentBytes: number;
  receivedBytes: number;
  /** Requests without a full count of their bodies' bytes: their length was unknown. */
  unmeasured: number;
};

/** Egress of one owner's components on one UTC day since the last report. */
export type EgressReport = Egress & { ownerId: OwnerId; day: string };

/** Usage of code that runs without an event: hooks, options and evaluation, which are no invocations. */
export function usageBesideRuns(computeMs: number, nowMs: number): DayUsage {
  return { day: dayOf(nowMs / 1000), invocations: 0, computeMs, credits: 0 };
}

/** Usage of one run. Without execution, as for a component without `run`, it is zero. */
export function usageOf(computeMs: number, nowMs: number): DayUsage {
  return { day: dayOf(nowMs / 1000), invocations: 1, computeMs, credits: creditsOf(computeMs) };
}

/** Usage of one run of an emitter, with its counts for the hour. */
export function usageOfRun(computeMs: number, nowMs: number, isFailed: boolean): DayUsage {
  const hours = countsAt(nowMs, { runs: 1, failures: isFailed ? 1 : 0 });
  return { ...usageOf(computeMs, nowMs), hours };
}

/** The attempts of a webhook on one UTC day so far, and by hour. */
export type DayDeliveries = { day: string; attempts: number; hours: HourCounts };

/**
 * The attempts of one process of a webhook so far. `process`: its start, epoch milliseconds. `before`: the counts of a
 * release that stored the totals itself.
 */
export type DeliveriesReport = {
  ownerId: OwnerId;
  webhookId: Id<"webhook">;
  process: number;
  days: DayDeliveries[];
  before: DayDeliveries[];
  /** The size of its storage; absent from an object that still runs an older release. */
  storedBytes?: number;
};

/** The sum of the attempts of two spans of time, by day. */
export function addDeliveries(
  a: readonly DayDeliveries[],
  b: readonly DayDeliveries[],
): DayDeliveries[] {
  const days = new Map(a.map((counts) => [counts.day, counts]));
  for (const { day, attempts, hours } of b) {
    const known = days.get(day) ?? { attempts: 0, hours: {} };
    days.set(day, {
      day,
      attempts: known.attempts + attempts,
      hours: addHours(known.hours, hours),
    });
  }
  return [...days.values()].toSorted((one, other) => one.day.localeCompare(other.day));
}

/** Merge two reports of a process, either of which may be the later one: for each day the larger counts. */
export function laterDeliveries(
  a: readonly DayDeliveries[],
  b: readonly DayDeliveries[],
): DayDeliveries[] {
  const days = new Map(a.map((counts) => [counts.day, counts]));
  for (const counts of b) {
    const known = days.get(counts.day);
    if (!known || counts.attempts > known.attempts) days.set(counts.day, counts);
  }
  return [...days.values()].toSorted((one, other) => one.day.localeCompare(other.day));
}
