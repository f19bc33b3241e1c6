import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

import { RequestError } from "#domain/errors.ts";
import {
  type Excess,
  excessOf,
  type KeyWindows,
  rateHeaders,
  secondsLeft,
  withKeyRequest,
} from "#domain/rate-limits.ts";
import { log } from "#telemetry/log.ts";

import { withinGuesses } from "./attempts.ts";
import type { AppEnv } from "./env.ts";
import { RecentMap } from "./recent-map.ts";

/** A key that was recently valid in this isolate. */
type RecentKey = { owner: string; windows: KeyWindows };

/** Recent keys by their hash. */
const recent = new RecentMap<RecentKey>();

/** Add the rest of the limit to every response, failures included. */
export const sendRateLimit = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(c.var.rate ?? {})) c.res.headers.set(name, value);
});

/**
 * Look up the caller of a key while the request is counted, and refuse a key or an owner over its limit. A key that was
 * never valid here is counted only after it is known to be valid, so that guesses leave no counters behind.
 */
export async function withinRate<T>(
  c: Context<AppEnv>,
  { keyHash, ownerOf }: { keyHash: string; ownerOf: (caller: T) => string },
  callerOf: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const { requestLimit: limit } = c.var.platform;
  if (limit === 0) return withinGuesses(c, "token", callerOf);
  const last = recent.get(keyHash);
  if (last) refuseExcess(c, withKeyRequest(last.windows, Date.now()));
  const [caller, early] = last
    ? await Promise.all([callerOf(), count(c, last.owner, keyHash)])
    : [await withinGuesses(c, "token", callerOf)];
  if (caller === undefined) return undefined;
  const owner = ownerOf(caller);
  const windows = early ?? (await count(c, owner, keyHash));
  if (!windows) return caller;
  recent.set(keyHash, { owner, windows });
  refuseExcess(c, windows);
  c.set("rate", rateHeaders(windows.ofKey, limit));
  return caller;
}

/** An unreachable counter limits nobody. */
async function count(
  c: Context<AppEnv>,
  owner: string,
  keyHash: string,
): Promise<KeyWindows | undefined> {
  try {
    return await c.var.platform.countKeyUse(owner, keyHash);
  } catch (error) {
    log("request_uncounted", { request_id: c.var.requestId, error });
    return undefined;
  }
}

function refuseExcess(c: Context<AppEnv>, windows: KeyWindows): void {
  const excess = excessOf(windows, c.var.platform.requestLimit);
  if (!excess) return;
  const { window, limit, of } = excess;
  c.set("rate", {
    ...rateHeaders(window, limit),
    "Retry-After": String(secondsLeft(window, Date.now())),
  });
  throw new RequestError(
    "rate_limited",
    `${WHO[of]} may make at most ${limit} requests in 10 seconds`,
  );
}

const WHO = {
  key: "An API key",
  owner: "All keys and tokens of an owner together",
} satisfies Record<Excess["of"], string>;
