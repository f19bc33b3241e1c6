import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";

import { RequestError } from "#domain/errors.ts";
import { areEqual, sha256Hex } from "#domain/hash.ts";
import { isSafe, isSameOrigin, pageOrigins, sessionCookieAt } from "#domain/sessions.ts";
import { csrfTokenOf, sessionOf, type SignedIn } from "#services/sessions/sessions.ts";

import type { AppEnv } from "./env.ts";
import { withinRate } from "./rate-limit.ts";

/** The header that unsafe requests send beside the cookie. */
const CSRF_HEADER = "x-csrf-token";

/** Whether a page of the platform, or a client other than a browser, sent the request. */
export function isFromOwnPage(c: Context<AppEnv>): boolean {
  return isSameOrigin({
    origin: c.req.header("origin"),
    site: c.req.header("sec-fetch-site"),
    own: pageOrigins(c.var.platform.apiOrigin, c.req.url),
  });
}

/** The secret in the session's cookie, which is accepted only from the platform's own pages. */
export function sessionSecretOf(c: Context<AppEnv>): string | undefined {
  const secret = getCookie(c, cookieOf(c));
  return secret && isFromOwnPage(c) ? secret : undefined;
}

/**
 * The session of a request, which is counted like one of an API key; undefined if there is none. Refuses a modifying
 * request without the token of the session, which a page of another site cannot know.
 */
export async function sessionOfRequest(c: Context<AppEnv>): Promise<SignedIn | undefined> {
  const secret = sessionSecretOf(c);
  if (secret === undefined) return undefined;
  const counted = {
    keyHash: await sha256Hex(secret),
    ownerOf: ({ user, session }: SignedIn) => user?.id ?? session.id,
  };
  const signedIn = await withinRate(c, counted, () => sessionOf(c.var.platform, secret));
  if (signedIn && !isSafe(c.req.method)) await requireCsrfToken(c, secret);
  return signedIn;
}

/** Send a browser the secret of its session, replacing an earlier one. */
export function setSessionCookie(c: Context<AppEnv>, secret: string, maxAge: number): void {
  setCookie(c, cookieOf(c), secret, { ...attributesAt(c), maxAge });
}

export function clearSessionCookie(c: Context<AppEnv>): void {
  deleteCookie(c, cookieOf(c), attributesAt(c));
}

async function requireCsrfToken(c: Context<AppEnv>, secret: string): Promise<void> {
  const token = c.req.header(CSRF_HEADER) ?? "";
  if (!(await areEqual(token, await csrfTokenOf(secret))))
    throw new RequestError("csrf", `${CSRF_HEADER}: must be the csrf_token of the session`);
}

function cookieOf(c: Context<AppEnv>): string {
  return sessionCookieAt(c.var.platform.apiOrigin);
}

function attributesAt(c: Context<AppEnv>) {
  const secure = c.var.platform.apiOrigin.startsWith("https:");
  return { path: "/", httpOnly: true, sameSite: "Lax" as const, secure };
}
