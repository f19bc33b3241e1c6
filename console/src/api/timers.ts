import { api } from "./client.ts";

const PREVIEWED_TICKS = 3;

/** The next ticks of a timer, epoch milliseconds. */
export async function previewTimer(
  schedule: { cron?: string; timezone?: string; intervalSeconds?: number },
  signal: AbortSignal,
): Promise<number[]> {
  const { intervalSeconds, ...cron } = schedule;
  const query = {
    ...cron,
    ...(intervalSeconds !== undefined && { interval_seconds: intervalSeconds }),
    count: PREVIEWED_TICKS,
  };
  const { data } = await api.get("/timers/preview", { params: { query }, signal });
  return data.ticks;
}
