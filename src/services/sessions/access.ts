import { createRemoteJWKSet, errors, jwtVerify } from "jose";

import { errorMessage, RequestError } from "#domain/errors.ts";

import type { AccessTeam } from "../context.ts";

/** The path to a team's keys. */
const KEYS = "/cdn-cgi/access/certs";

const KEYS_TIMEOUT_MS = 5000;

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** The keys of teams, by origin. Each is fetched again when it is ten minutes old, or lacks the key of a token. */
const keySets = new Map<string, KeySet>();

/**
 * The e-mail address that Cloudflare Access asserts for this application, and the expiry of the assertion. A valid one
 * is signed by a key of the team, issued by it for this application, and has not expired; undefined otherwise.
 */
export async function emailOfAssertion(
  { origin, audience }: AccessTeam,
  assertion: string,
): Promise<{ email: string; expiresAt: number } | undefined> {
  try {
    const { payload } = await jwtVerify(assertion, keysOf(origin), {
      issuer: origin,
      audience,
      algorithms: ["RS256"],
      requiredClaims: ["exp", "email"],
    });
    const { email, exp = 0 } = payload;
    return typeof email === "string" ? { email, expiresAt: exp } : undefined;
  } catch (error) {
    if (isInvalid(error)) return undefined;
    throw new RequestError(
      "upstream_failed",
      `The keys of Cloudflare Access could not be fetched: ${errorMessage(error)}`,
    );
  }
}

function keysOf(origin: string): KeySet {
  const known = keySets.get(origin);
  if (known) return known;
  const keys = createRemoteJWKSet(new URL(KEYS, origin), { timeoutDuration: KEYS_TIMEOUT_MS });
  keySets.set(origin, keys);
  return keys;
}

/** Errors of the token itself, rather than of its keys. */
function isInvalid(error: unknown): boolean {
  return INVALID.some((kind) => error instanceof kind);
}

const INVALID = [
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSMultipleMatchingKeys,
  errors.JWKSNoMatchingKey,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JWTClaimValidationFailed,
  errors.JWTExpired,
  errors.JWTInvalid,
];
