import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

import { RequestError } from "#domain/errors.ts";
import { isFull, rateHeaders, secondsLeft, type Window } from "#domain/rate-limits.ts";
import { log } from "#telemetry/log.ts";

import { withinGuesses } from "./attempts.ts";
import type { AppEnv } from "./env.ts";
import { RecentMap } from "./recent-map.ts";

/** The windows of keys that were recently valid in this isolate, by the hash of the key. */
const windows = new RecentMap<Window>();

/** Add the rest of the limit to every response, failures included. */
export const sendRateLimit = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(c.var.rate ?? {})) c.res.headers.set(name, value);
});

/**
 * Look up the caller of a key while the request is counted, and refuse a key over its limit. A key that was never valid
 * here is counted only after it is known to be valid, so that guesses leave no counters behind.
 */
export async function withinRate<T>(
  c: Context<AppEnv>,
  keyHash: string,
  callerOf: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const { requestLimit: limit } = c.var.platform;
  if (limit === 0) return withinGuesses(c, "token", callerOf);
  const last = windows.get(keyHash);
  if (last && isFull(last, limit, Date.now())) throw tooMany(c, last);
  const [caller, early] = last
    ? await Promise.all([callerOf(), count(c, keyHash)])
    : [await withinGuesses(c, "token", callerOf)];
  if (caller === undefined) return undefined;
  const window = early ?? (await count(c, keyHash));
  if (window) admit(c, keyHash, window);
  return caller;
}

function admit(c: Context<AppEnv>, keyHash: string, window: Window): void {
  const { requestLimit: limit } = c.var.platform;
  windows.set(keyHash, window);
  if (window.count > limit) throw tooMany(c, window);
  c.set("rate", rateHeaders(window, limit));
}

/** An unreachable counter limits nobody. */
async function count(c: Context<AppEnv>, keyHash: string): Promise<Window | undefined> {
  try {
    return await c.var.platform.countRequest(keyHash);
  } catch (error) {
    log("request_uncounted", { request_id: c.var.requestId, error });
    return undefined;
  }
}

function tooMany(c: Context<AppEnv>, window: Window): RequestError {
  const { requestLimit: limit } = c.var.platform;
  c.set("rate", {
    ...rateHeaders(window, limit),
    "Retry-After": String(secondsLeft(window, Date.now())),
  });
  return new RequestError(
    "rate_limited",
    `An API key may make at most ${limit} requests in 10 seconds`,
  );
}
