/** Headers of an answer that hold for a whole origin, which the API shares. */
const ORIGIN_WIDE = [
  "alt-svc",
  "clear-site-data",
  "nel",
  "report-to",
  "service-worker-allowed",
  "strict-transport-security",
];

/** Gives a page an origin of its own, so that it reads nothing of the API's pages and stores nothing beside them. */
const SANDBOX = "sandbox allow-scripts allow-forms allow-popups";

/** Where a component answers: the path of the request, and whether the API is on the same origin. */
export type Place = { pathname: string; sharesOrigin: boolean };

/** The headers that a component answers with, kept from what else is on the origin. */
export function componentHeaders(headers: Headers, { pathname, sharesOrigin }: Place): Headers {
  headers.set("x-content-type-options", "nosniff");
  if (!sharesOrigin) return headers;
  for (const name of ORIGIN_WIDE) headers.delete(name);
  headers.append("content-security-policy", SANDBOX);
  const cookies = headers.getSetCookie();
  headers.delete("set-cookie");
  for (const cookie of cookies) headers.append("set-cookie", boundTo(pathname, cookie));
  return headers;
}

/** A cookie that goes back to its own endpoint only. */
function boundTo(pathname: string, cookie: string): string {
  const [, place = "", key = ""] = pathname.split("/");
  const kept = cookie
    .split(";")
    .filter((part, index) => index === 0 || !/^\s*(path|domain)\s*(=|$)/i.test(part));
  return `${kept.join(";")}; Path=/${place}/${key}`;
}
