import type { Id, OwnerId } from "./ids.ts";

/** The UTC day of a time in epoch seconds, `YYYY-MM-DD`: what usage is counted by. */
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

/** When the UTC day of a time in epoch seconds ends: the first second of the next one. */
export function endOfDay(at: number): number {
  return (Math.floor(at / DAY_SECONDS) + 1) * DAY_SECONDS;
}

export const DAY_SECONDS = 24 * 3600;

/** For how many days each emitter's reports are kept: a later report could be a repeated one. */
export const EMITTER_DAYS = 7;

/** For how many days it is known what each owner used: this month, and a year to compare it with. */
export const OWNER_DAYS = 400;

/** How much compute one credit stands for. */
const CREDIT_MS = 30_000;

/** What a run of this length costs: one credit for each 30 s that it has started. */
export function creditsOf(computeMs: number): number {
  return Math.ceil(computeMs / CREDIT_MS);
}

/** What was used: how many runs there were, how long they took and what they cost. */
export type Used = { invocations: number; computeMs: number; credits: number };

/** What one source or workflow used on one UTC day so far. Only ever grows, so that the sum says which of two is later. */
export type DayUsage = Used & { day: string };

/** The usage report of a source or a workflow: totals, so that a repeated report changes nothing. */
export type UsageReport = {
  ownerId: OwnerId;
  emitterId: Id<"source"> | Id<"workflow">;
  days: DayUsage[];
};

/** What the components of an owner sent to the network: requests, and bytes of bodies with a known length. */
export type Egress = {
  requests: number;
  sentBytes: number;
  receivedBytes: number;
  /** Requests whose bodies have not been counted, or not all of them: their length was unknown. */
  unmeasured: number;
};

/** What one owner's components sent on one UTC day since the last report. */
export type EgressReport = Egress & { ownerId: OwnerId; day: string };

/** What code used that runs for no event: hooks, options and evaluation, which are no invocations. */
export function usageBesideRuns(computeMs: number, nowMs: number): DayUsage {
  return { day: dayOf(nowMs / 1000), invocations: 0, computeMs, credits: 0 };
}

/** What one run used. Code that was not run at all, as of a component without `run`, costs nothing. */
export function usageOf(computeMs: number, nowMs: number): DayUsage {
  return { day: dayOf(nowMs / 1000), invocations: 1, computeMs, credits: creditsOf(computeMs) };
}
