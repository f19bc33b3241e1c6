import type { Credentials } from "./accounts.ts";
import { filledBase } from "./app-templates.ts";
import { filledRequest } from "./app-test.ts";
import { type App, mayReceive } from "./apps.ts";
import { hasCredentials } from "./targets.ts";

/** The name prefix of headers that are passed on to the target. */
const PREFIX = "x-pd-proxy-";

/** Headers of one connection, and those that the platform writes. */
const OF_THE_CONNECTION = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers that callers may not set: sender, route, and the encoding of a body that is decoded on the way. */
const CLAIM =
  /^(?:accept-encoding|forwarded|true-client-ip|x-real-ip|cf-.*|x-forwarded-.*|x-pd-.*|x-wellspring-.*)$/;

/** Response headers that would affect the origin of the API, or describe a body that was decoded on the way. */
const OF_THE_ORIGIN =
  /^(?:access-control-.*|alt-svc|clear-site-data|content-encoding|content-security-policy.*|nel|report-to|reporting-endpoints|service-worker-allowed|set-cookie2?|strict-transport-security)$/;

/** Headers that are also sent to a host that the app does not name: they contain nothing of the account. */
const HARMLESS = new Set(["accept", "accept-language", "range", "user-agent"]);

/** The URL that a caller sent in base64, in the standard or the URL-safe alphabet; undefined: it is invalid. */
export function targetIn(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.fromBase64(base64.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The target of a request with an account's credentials, or the rule that it breaks. */
export type Target = { ok: true; url: URL } | { ok: false; problem: string };

/**
 * The target of a request. `text`: a URL, or a path below the app's base URL. `allowPlain`: whether credentials may be
 * sent over plain HTTP, as they also may if the app's base URL has it.
 */
export function targetOf(
  { slug, request }: Pick<App, "request" | "slug">,
  credentials: Credentials,
  { text, allowPlain }: { text: string; allowPlain: boolean },
): Target {
  const base = request.baseUrl === undefined ? undefined : filledBase(request.baseUrl, credentials);
  const url = urlOf(text, base);
  if (!url) return { ok: false, problem: "must be a URL" };
  const mayBePlain = allowPlain || base?.startsWith("http:") === true;
  const problem =
    problemOf(url, mayBePlain) ?? refusalOf(slug, mayReceive(request, credentials, url), url);
  return problem === undefined ? { ok: true, url } : { ok: false, problem };
}

function refusalOf(slug: string, isNamed: boolean, { host }: URL): string | undefined {
  return isNamed ? undefined : `credentials of ${slug} may not be sent to ${host}`;
}

function urlOf(text: string, base: string | undefined): URL | undefined {
  const isWhole = /^[a-z][a-z0-9+.-]*:/i.test(text);
  const whole =
    isWhole || base === undefined
      ? text
      : `${base.replace(/\/+$/, "")}/${text.replace(/^[/\\]+/, "")}`;
  return URL.canParse(whole) ? new URL(whole) : undefined;
}

function problemOf(url: URL, allowPlain: boolean): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must begin with https://";
  if (url.protocol === "http:" && !allowPlain)
    return "must begin with https://: credentials do not go over plain HTTP";
  return hasCredentials(url.href) ? "may have no user and password" : undefined;
}

/** The headers that a caller forwards to the target. */
export function forwardedHeaders(given: Headers): Headers {
  const forwarded = new Headers();
  const type = given.get("content-type");
  if (type !== null) forwarded.set("content-type", type);
  for (const [name, value] of given) {
    const wanted = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : "";
    if (wanted !== "" && !OF_THE_CONNECTION.has(wanted) && !CLAIM.test(wanted))
      forwarded.set(wanted, value);
  }
  return forwarded;
}

/** One of the requests of a proxied request, which follows redirects. */
export type Hop = { url: URL; method: string; hasBody: boolean; isTrusted: boolean };

/**
 * The URL and the headers of a hop: with the credentials if its host may receive them, else without anything of the
 * account.
 */
export function authorized(
  { url, hasBody, isTrusted }: Hop,
  headers: Headers,
  { request, credentials }: { request: App["request"]; credentials: Credentials },
): { url: URL; headers: Headers } {
  if (!isTrusted)
    return { url, headers: new Headers([...headers].filter(([name]) => HARMLESS.has(name))) };
  const full = { url: new URL(url), headers: new Headers(headers) };
  if (!hasBody) full.headers.delete("content-type");
  const { headers: own, query } = filledRequest(request, credentials);
  for (const [name, value] of own) full.headers.set(name, value);
  for (const [name, value] of query) full.url.searchParams.set(name, value);
  return full;
}

/**
 * The next request after a redirect, as in the Fetch standard; after a host that may not receive credentials no request
 * has them. Undefined: it is not followed, because it has no target, or would send a body to such a host.
 */
export function hopAfter(
  hop: Hop,
  { status, location }: { status: number; location: string },
  mayTrust: (url: URL) => boolean,
): Hop | undefined {
  if (!URL.canParse(location, hop.url.href)) return undefined;
  const url = new URL(location, hop.url);
  const method = methodAfter(hop.method, status);
  const isTrusted = hop.isTrusted && mayTrust(url);
  if (!isTrusted && method !== "GET" && method !== "HEAD") return undefined;
  return { url, method, hasBody: hop.hasBody && method === hop.method, isTrusted };
}

function methodAfter(method: string, status: number): string {
  if (status === 303) return method === "HEAD" ? method : "GET";
  return method === "POST" && status < 303 ? "GET" : method;
}

/** The headers of a target's response for the caller: they never make it a page of the API's origin. */
export function relayedHeaders(headers: Headers): Headers {
  const relayed = new Headers(
    [...headers].filter(([name]) => !OF_THE_ORIGIN.test(name) && !isOfTheConnection(name, headers)),
  );
  relayed.set("content-security-policy", "sandbox; default-src 'none'");
  return relayed;
}

/** The length of a body that was decoded on the way is not the sent one. */
function isOfTheConnection(name: string, headers: Headers): boolean {
  if (name === "content-length") return headers.has("content-encoding");
  return OF_THE_CONNECTION.has(name);
}
