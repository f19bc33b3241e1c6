import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

import { RequestError } from "#domain/errors.ts";
import { isFull, rateHeaders, secondsLeft, type Window } from "#domain/rate-limits.ts";
import { log } from "#telemetry/log.ts";

import type { AppEnv } from "./env.ts";

/** Maximum keys whose window this isolate caches. */
const MAX_KEYS = 10_000;

/** The windows of keys that were recently valid in this isolate, by the hash of the key. */
const windows = new Map<string, Window>();

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
  if (limit === 0) return callerOf();
  const last = windows.get(keyHash);
  if (last && isFull(last, limit, Date.now())) throw tooMany(c, last);
  const [caller, early] = await Promise.all([callerOf(), last && count(c, keyHash)]);
  if (caller === undefined) return undefined;
  const window = early ?? (await count(c, keyHash));
  if (window) admit(c, keyHash, window);
  return caller;
}

/** Maximum sign-in attempts of an address in a window. */
const MAX_SIGN_INS = 30;

/** Limit sign-in attempts by address, regardless of the credentials: guesses must be slow. */
export async function withinSignInRate(c: Context<AppEnv>): Promise<void> {
  const address = c.req.header("cf-connecting-ip") ?? "";
  const window = await count(c, `sign-in ${address}`);
  if (!window || window.count <= MAX_SIGN_INS) return;
  c.header("Retry-After", String(secondsLeft(window, Date.now())));
  throw new RequestError(
    "rate_limited",
    `One address may sign in at most ${MAX_SIGN_INS} times in 10 seconds`,
  );
}

function admit(c: Context<AppEnv>, keyHash: string, window: Window): void {
  const { requestLimit: limit } = c.var.platform;
  remember(keyHash, window);
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

function remember(keyHash: string, window: Window): void {
  windows.delete(keyHash);
  windows.set(keyHash, window);
  const [oldest] = windows.keys();
  if (windows.size > MAX_KEYS && oldest !== undefined) windows.delete(oldest);
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
