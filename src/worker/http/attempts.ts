import type { Context } from "hono";

import { clientNetworkOf } from "#domain/client-network.ts";
import { RequestError } from "#domain/errors.ts";
import { isFull, secondsLeft, type Window, withRequest } from "#domain/rate-limits.ts";
import { log } from "#telemetry/log.ts";

import type { AppEnv } from "./env.ts";
import { RecentMap } from "./recent-map.ts";

/** Maximum attempts in a window: of one network, and of all together. */
type AttemptLimits = { ofNetwork: number; ofAll: number; may: string };

/**
 * Limits of wrong guesses. An operator may choose the admin token: 300 guesses in 10 s take 1,500 years to find half of
 * all tokens of 8 lower-case letters and digits. Keys and tokens are 44 random characters.
 */
const GUESSES = {
  admin_token: { ofNetwork: 30, ofAll: 300, may: "send a wrong admin token" },
  client_secret: { ofNetwork: 30, ofAll: 300, may: "send a wrong client secret" },
  token: { ofNetwork: 300, ofAll: 3000, may: "send an invalid key, token or session" },
} satisfies Record<string, AttemptLimits>;

/** Limits of attempts that are counted whether they succeed or not. */
const ATTEMPTS = {
  sign_in: { ofNetwork: 30, ofAll: 3000, may: "sign in" },
  registration: { ofNetwork: 30, ofAll: 300, may: "register a client" },
} satisfies Record<string, AttemptLimits>;

/** The windows of counters that this isolate saw recently. */
const windows = new RecentMap<Window>();

/** Networks that recently had a valid secret, by counter: others who guess must not keep them out. */
const proven = new RecentMap<true>();

/** Look up the caller of a secret, unless too many wrong ones came from the same network, or from all others. */
export async function withinGuesses<T>(
  c: Context<AppEnv>,
  secret: keyof typeof GUESSES,
  callerOf: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const [ofNetwork, ofAll] = limitsAt(c, `guess ${secret}`, GUESSES[secret]);
  refuseFull(c, ofNetwork);
  if (!proven.has(ofNetwork.counter)) refuseFull(c, ofAll);
  const caller = await callerOf();
  if (caller === undefined) await Promise.all([count(c, ofNetwork), count(c, ofAll)]);
  else proven.set(ofNetwork.counter, true);
  return caller;
}

/** Count an attempt, and refuse it beyond a limit. */
export async function admitAttempt(
  c: Context<AppEnv>,
  attempt: keyof typeof ATTEMPTS,
): Promise<void> {
  const limits = limitsAt(c, attempt, ATTEMPTS[attempt]);
  for (const limit of limits) refuseFull(c, limit);
  for (const limit of limits) {
    const window = await count(c, limit);
    if (window && window.count > limit.max) throw tooMany(c, limit, window);
  }
}

/** A limit with the name of its counter, and the words for who reached it. */
type Limit = { counter: string; max: number; rule: string };

function limitsAt(
  c: Context<AppEnv>,
  name: string,
  { ofNetwork, ofAll, may }: AttemptLimits,
): [Limit, Limit] {
  const network = clientNetworkOf(c.req.header("cf-connecting-ip") ?? "");
  return [
    {
      counter: `${name} ${network}`,
      max: ofNetwork,
      rule: `One address may ${may} at most ${ofNetwork} times in 10 seconds`,
    },
    {
      counter: name,
      max: ofAll,
      rule: `All addresses together may ${may} at most ${ofAll} times in 10 seconds`,
    },
  ];
}

function refuseFull(c: Context<AppEnv>, limit: Limit): void {
  const window = windows.get(limit.counter);
  if (window && isFull(window, limit.max, Date.now())) throw tooMany(c, limit, window);
}

/** Count here at once, so that no burst passes, and across all isolates. An unreachable counter limits nobody else. */
async function count(c: Context<AppEnv>, { counter }: Limit): Promise<Window | undefined> {
  windows.set(counter, withRequest(windows.get(counter), Date.now()));
  try {
    const window = await c.var.platform.countRequest(counter);
    if (window.count > (windows.get(counter)?.count ?? 0)) windows.set(counter, window);
    return window;
  } catch (error) {
    log("request_uncounted", { request_id: c.var.requestId, error });
    return undefined;
  }
}

function tooMany(c: Context<AppEnv>, { rule }: Limit, window: Window): RequestError {
  c.header("Retry-After", String(secondsLeft(window, Date.now())));
  return new RequestError("rate_limited", rule);
}
