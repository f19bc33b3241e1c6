/** The parts of a request's `URL`. */
export type Address = Pick<URL, "href" | "origin" | "pathname" | "search">;

/** A path and a query that `URL` would take as they are: nothing in them to resolve, decode or encode. */
const PLAIN = /^(https?:\/\/[^/?#\\@\s]+)(\/[\w~/-]*)(\?[\w=&-]+)?$/;

/** Nearly all requests have the origin of the one before. */
let last = { text: "", origin: "" };

/** Parse an absolute URL into the parts that `URL` has. Runs for each event, so common forms skip the parser. Throws for an invalid URL. */
export function addressOf(text: string): Address {
  const [, start = "", pathname = "", search = ""] = PLAIN.exec(text) ?? [];
  if (start === "") return new URL(text);
  if (start !== last.text) last = { text: start, origin: new URL(start).origin };
  const { origin } = last;
  return { href: `${origin}${pathname}${search}`, origin, pathname, search };
}
