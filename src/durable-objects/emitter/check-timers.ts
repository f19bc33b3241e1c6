import { afterMissedTicks, type AlertChange, type AlertState } from "#domain/alerts.ts";
import type { Tick } from "#domain/schedule.ts";
import type { Alarm } from "#durable-objects/shared/alarm.ts";
import type { Timers } from "#durable-objects/shared/timers.ts";

/**
 * Restore a missing alarm, and alert the owner of timers that missed two ticks by it. Returns the next ticks of all
 * timers.
 */
export async function checkTimers(
  { alarm, timers }: { alarm: Alarm; timers: Timers },
  alert: (decide: (state: AlertState) => AlertChange | undefined) => void,
): Promise<Tick[]> {
  if (await alarm.keep()) alert((state) => afterMissedTicks(state, timers.all(), Date.now()));
  return timers.all();
}
