/** Length of a window in which requests are counted. */
const WINDOW_MS = 10_000;

/** The requests since the first one opened the window, and the end of the window, epoch milliseconds. */
export type Window = { count: number; endsAtMs: number };

/** The windows of a key, and of all keys of its owner. */
export type KeyWindows = { ofKey: Window; ofOwner: Window };

/** All keys of an owner together may make this many times the requests of one. */
const KEYS_OF_OWNER = 5;

/** A window with the limit that its requests exceed. */
export type Excess = { window: Window; limit: number; of: "key" | "owner" };

/** The limit that the requests of a key, or of its owner, exceed; undefined: none. */
export function excessOf({ ofKey, ofOwner }: KeyWindows, limit: number): Excess | undefined {
  const limitOfOwner = limit * KEYS_OF_OWNER;
  if (ofKey.count > limit) return { window: ofKey, limit, of: "key" };
  if (ofOwner.count > limitOfOwner) return { window: ofOwner, limit: limitOfOwner, of: "owner" };
  return undefined;
}

/** The windows with one more request. */
export function withKeyRequest({ ofKey, ofOwner }: KeyWindows, nowMs: number): KeyWindows {
  return { ofKey: withRequest(ofKey, nowMs), ofOwner: withRequest(ofOwner, nowMs) };
}

/** The window with one more request; a new one if the last has ended. */
export function withRequest(window: Window | undefined, nowMs: number): Window {
  if (!window || window.endsAtMs <= nowMs) return { count: 1, endsAtMs: nowMs + WINDOW_MS };
  return { ...window, count: window.count + 1 };
}

/** The number of requests in a window that is still open. */
export function countIn(window: Window | undefined, nowMs: number): number {
  return window && window.endsAtMs > nowMs ? window.count : 0;
}

/** Whether an open window has reached its limit. */
export function isFull(window: Window, limit: number, nowMs: number): boolean {
  return window.count >= limit && window.endsAtMs > nowMs;
}

/** The rate limit headers of every response. `X-RateLimit-Reset` is in epoch seconds. */
export function rateHeaders({ count, endsAtMs }: Window, limit: number): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(Math.max(0, limit - count)),
    "X-RateLimit-Reset": String(Math.ceil(endsAtMs / 1000)),
  };
}

/** The time that a caller must wait, in whole seconds. */
export function secondsLeft({ endsAtMs }: Window, nowMs: number): number {
  return Math.max(1, Math.ceil((endsAtMs - nowMs) / 1000));
}
