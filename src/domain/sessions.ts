import { isAddress, isLoopbackHost } from "./targets.ts";

/** Lifetimes of a session, and of a link that signs in once. */
export const SESSION_SECONDS = 12 * 3600;
export const SIGN_IN_LINK_SECONDS = 3600;

const PLAIN_COOKIE = "wellspring_session";

/** A cookie of this name was set over TLS and by this host: browsers enforce that for the prefix. */
const SECURE_COOKIE = `__Host-${PLAIN_COOKIE}`;

/** The name of the session's cookie at an origin. */
export function sessionCookieAt(origin: string): string {
  return origin.startsWith("https:") ? SECURE_COOKIE : PLAIN_COOKIE;
}

/** A session's pair in a `Cookie` header, with the separator before it. Repeated headers are joined by commas. */
const PAIR = /(?:^|[;,])[\s=]*(?:__Host-)?wellspring_session\s*(?:=[^;,]*)?(?=[;,]|$)/gi;

/** A `Cookie` header without sessions; undefined if nothing is left. */
export function withoutSession(cookie: string): string | undefined {
  const rest = cookie.replaceAll(PAIR, "").replace(/^[;,\s]+/, "");
  return rest === "" ? undefined : rest;
}

/**
 * Whether a `Set-Cookie` header sets a session, also by a cookie without a name, which browsers send as its value
 * alone.
 */
export function setsSession(cookie: string): boolean {
  return /^[\s=]*(?:__Host-)?wellspring_session\s*(?:[=;]|$)/i.test(cookie);
}

/** The headers of a request that identify the page that sent it. */
export type Origins = {
  /** Its `Origin` header. */
  origin: string | undefined;
  /** Its `Sec-Fetch-Site` header. */
  site: string | undefined;
  /** The origins of the platform's pages. */
  own: readonly string[];
};

/**
 * Whether a page of the platform sent a request, or a client that is no browser. Browsers send the origin with all
 * writes, and since 2023 the site with every request; a navigation by hand is from no page.
 */
export function isSameOrigin({ origin, site, own }: Origins): boolean {
  return (
    (site === undefined || site === "same-origin") && (origin === undefined || own.includes(origin))
  );
}

/**
 * The origins of the platform's pages, for a request to `requested`: that of `PUBLIC_URL`. One that names this machine
 * alone stands for its other addresses, but not for other names, which anybody may point at it.
 */
export function pageOrigins(publicUrl: string, requested: string): string[] {
  const [own, other] = [new URL(publicUrl).hostname, new URL(requested).hostname];
  const isAlias = isLoopbackHost(own) && (isLoopbackHost(other) || isAddress(other));
  return isAlias ? [publicUrl, new URL(requested).origin] : [publicUrl];
}

/** Whether a method only reads. */
export function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

/** The origin of a Cloudflare Access team, from its domain; undefined if no team is configured. */
export function accessOrigin(domain: string): string | undefined {
  if (domain === "") return undefined;
  const text = domain.includes("://") ? domain : `https://${domain}`;
  if (!URL.canParse(text)) return undefined;
  const { origin, protocol, hostname } = new URL(text);
  const isLocal = hostname === "localhost" || hostname === "127.0.0.1";
  return protocol === "https:" || (protocol === "http:" && isLocal) ? origin : undefined;
}
