/** The parts of a request's `URL`. */
export type Address = Pick<URL, "href" | "origin" | "pathname" | "search">;

/** A path and a query that `URL` would leave as they are: nothing in them to resolve, decode or encode. */
const PLAIN = /^(https?:\/\/[^/?#\\@\s]+)(\/[\w~/-]*)(\?[\w=&-]+)?$/;

/** An origin whose host has no dot at the end, which names the same host. */
export function withoutDot(origin: string): string {
  return origin.replace(/\.(?=:\d+$|$)/, "");
}

/**
 * An address with its client's scheme, if a proxy terminated TLS: of these origins, the one with its host decides.
 * Another host is left as it is.
 */
export function atOrigins(address: Address, origins: readonly string[]): Address {
  if (origins.includes(address.origin)) return address;
  const host = hostOf(address.origin);
  const origin = origins.find((each) => hostOf(each) === host);
  if (origin === undefined) return address;
  const { pathname, search } = address;
  return { href: `${origin}${pathname}${search}`, origin, pathname, search };
}

/** The host of an origin, with its port unless that is the default of a scheme. */
function hostOf(origin: string): string {
  return withoutDot(origin)
    .slice(origin.indexOf("//"))
    .replace(/:(?:80|443)$/, "");
}

/** Whether two origins have the same host, at whichever ports. */
export function hasHostOf(origin: string, other: string): boolean {
  return hostnameOf(origin) === hostnameOf(other);
}

function hostnameOf(origin: string): string {
  return origin.replace(/^https?:\/\//, "").replace(/:\d+$/, "");
}

/** Nearly all requests have the origin of the previous one. */
let last = { text: "", origin: "" };

/**
 * Parse an absolute URL into the parts that `URL` has. Runs for each event, so common forms skip the parser. Throws for
 * an invalid URL.
 */
export function addressOf(text: string): Address {
  const [, start = "", pathname = "", search = ""] = PLAIN.exec(text) ?? [];
  if (start === "") return new URL(text);
  if (start !== last.text) last = { text: start, origin: new URL(start).origin };
  const { origin } = last;
  return { href: `${origin}${pathname}${search}`, origin, pathname, search };
}

/** Whether an http or https URL has a host where it belongs: `URL` takes that of `http:///path` from the path. */
export function hasHost(url: string): boolean {
  return /^https?:\/\/[^/\\?#]/i.test(url);
}
