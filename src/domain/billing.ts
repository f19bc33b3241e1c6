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
