import { accessOrigin } from "#domain/sessions.ts";
import { LEVELS } from "#telemetry/events.ts";

import { Refusal } from "./refusal.ts";

const FLAG = ["true", "false"];

/** The settings with a fixed set of values. */
const VALUES: Record<string, readonly string[]> = {
  ALLOW_PRIVATE_TARGETS: FLAG,
  SHOW_CREDENTIALS: FLAG,
  METRICS_ENABLED: FLAG,
  EVENT_LINES: FLAG,
  LOG_LEVEL: LEVELS,
  USER_CODE: ["loader", "dispatch"],
};

/** Settings between 0 and 1. */
const SHARES = ["TRACE_SAMPLE_RATE", "TRACE_SHARE"];

/** Reject an unknown value of a setting: the Worker would silently use another one. */
export function checkValues(given: Record<string, string>): void {
  for (const [name, values] of Object.entries(VALUES)) {
    const value = given[name];
    if (value !== undefined && !values.includes(value))
      throw new Refusal(`${name} must be ${listed(values)}, not "${value}".`);
  }
  for (const name of SHARES) {
    const value = given[name];
    if (value !== undefined && !isShare(value))
      throw new Refusal(`${name} must be a number from 0 to 1, not "${value}".`);
  }
  checkAccess(given["CF_ACCESS_TEAM_DOMAIN"], given["CF_ACCESS_AUD"]);
}

/** Guesses are limited to 300 in 10 s (src/worker/http/attempts.ts): these characters withstand them, fewer do not. */
const MIN_TOKEN_LENGTH = 8;

/** Reject a token that others could guess. */
export function checkToken(name: string, token: string | undefined): void {
  if (token !== undefined && token.length < MIN_TOKEN_LENGTH)
    throw new Refusal(
      `${name} must have at least ${MIN_TOKEN_LENGTH} characters, best random ones.`,
    );
}

/** Cloudflare Access needs both settings: with one alone no request would be checked. */
function checkAccess(domain = "", audience = ""): void {
  if ((domain === "") !== (audience === ""))
    throw new Refusal("CF_ACCESS_TEAM_DOMAIN and CF_ACCESS_AUD must be set together.");
  if (domain !== "" && accessOrigin(domain) === undefined)
    throw new Refusal(`CF_ACCESS_TEAM_DOMAIN must be a domain with https, not "${domain}".`);
}

function isShare(text: string): boolean {
  const share = Number(text);
  return text.trim() !== "" && share >= 0 && share <= 1;
}

function listed(values: readonly string[]): string {
  return `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}
