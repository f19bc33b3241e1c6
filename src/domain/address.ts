/** Where a request went: the parts of its `URL`. */
export type Address = Pick<URL, "href" | "origin" | "pathname" | "search">;

/** A path and a query that `URL` would take as they are: nothing in them to resolve, decode or encode. */
const PLAIN = /^(https?:\/\/[^/?#\\@\s]+)(\/[\w~/-]*)(\?[\w=&-]+)?$/;

/** Nearly all requests have the origin of the one before. */
let last = { text: "", origin: "" };

/** The parts of an absolute URL, as `URL` has them. For each event, one is read: most need no parser. Throws where it is none. */
export function addressOf(text: string): Address {
  const [, start = "", pathname = "", search = ""] = PLAIN.exec(text) ?? [];
  if (start === "") return new URL(text);
  if (start !== last.text) last = { text: start, origin: new URL(start).origin };
  const { origin } = last;
  return { href: `${origin}${pathname}${search}`, origin, pathname, search };
}
