import { v1 } from "./v1.ts";

const PREVIEWED_TICKS = 3;

/** When a timer ticks next, epoch milliseconds. */
export async function previewTimer(
  schedule: { cron?: string; timezone?: string; intervalSeconds?: number },
  signal: AbortSignal,
): Promise<number[]> {
  const { cron, timezone, intervalSeconds } = schedule;
  const query = { cron, timezone, interval_seconds: intervalSeconds, count: PREVIEWED_TICKS };
  const { data } = await v1<{ data: { ticks: number[] } }>("/timers/preview", { query, signal });
  return data.ticks;
}
