const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The delays before the retries of a failed delivery. After one more failure it is given up. */
const DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

const JITTER = 0.2;
const MAX_RETRY_AFTER_MS = DAY;

/** A webhook is deactivated after its deliveries have failed for this long. */
const MAX_FAILING_MS = 5 * DAY;

/**
 * The time of the next retry after `failures` failures, epoch milliseconds; undefined: never. `random`, from 0 to 1,
 * spreads deliveries that failed together.
 */
export function nextAttempt(failures: number, nowMs: number, random: number): number | undefined {
  const delayMs = DELAYS_MS[failures - 1];
  if (delayMs === undefined) return undefined;
  return Math.round(nowMs + delayMs * (1 - JITTER + 2 * JITTER * random));
}

/** The time in a `Retry-After` header, in seconds or as a date; at most a day away, and never in the past. */
export function retryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  const atMs = /^\d+$/.test(text) ? nowMs + Number(text) * SECOND : Date.parse(text);
  if (Number.isNaN(atMs)) return undefined;
  return Math.min(Math.max(atMs, nowMs), nowMs + MAX_RETRY_AFTER_MS);
}

/** Whether a webhook without a success since then is to be deactivated. */
export function hasFailedTooLong(failingSinceMs: number, nowMs: number): boolean {
  return nowMs - failingSinceMs >= MAX_FAILING_MS;
}
