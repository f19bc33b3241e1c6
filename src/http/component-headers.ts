import { setsSession } from "#domain/sessions.ts";

import type { CustomResponse } from "./custom-response.ts";

/** Response headers that affect a whole origin, which the API may share. */
const ORIGIN_WIDE = new Set([
  "alt-svc",
  "clear-site-data",
  "nel",
  "report-to",
  "service-worker-allowed",
  "strict-transport-security",
]);

/** Gives a page an opaque origin, so that it has no access to the API's pages and storage. */
const SANDBOX = ["content-security-policy", "sandbox allow-scripts allow-forms allow-popups"];

const NO_SNIFFING = ["x-content-type-options", "nosniff"];

/** The place of a component's response: the path of the request, and whether the API is on the same origin or host. */
export type Place = { pathname: string; sharesOrigin: boolean };

/**
 * The headers of a component's response, isolated from the rest of the origin, and without a session of the console,
 * which hosts share across ports. Pairs of name and value, because building `Headers` step by step costs more than the
 * rest of a response.
 */
export function componentHeaders(
  headers: CustomResponse["headers"],
  { pathname, sharesOrigin }: Place,
): string[][] {
  const own = headerPairs(headers).filter(
    ([name, value = ""]) =>
      name !== "x-content-type-options" && !(name === "set-cookie" && setsSession(value)),
  );
  if (!sharesOrigin) return [...own, NO_SNIFFING];
  const kept = own.filter(([name = ""]) => !ORIGIN_WIDE.has(name));
  const bound = kept.map(([name = "", value = ""]) =>
    name === "set-cookie" ? [name, boundTo(pathname, value)] : [name, value],
  );
  return [...bound, NO_SNIFFING, SANDBOX];
}

/** Headers as pairs of a name in lower case and one value. */
export function headerPairs(headers: CustomResponse["headers"]): string[][] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => [name.toLowerCase(), value]),
  );
}

/** A cookie restricted to its own endpoint. */
function boundTo(pathname: string, cookie: string): string {
  const [, place = "", key = ""] = pathname.split("/");
  const kept = cookie
    .split(";")
    .filter((part, index) => index === 0 || !/^\s*(path|domain)\s*(=|$)/i.test(part));
  return `${kept.join(";")}; Path=/${place}/${key}`;
}
