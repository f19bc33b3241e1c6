import { BUDGET_HEADER, DEPTH_HEADER, MAX_NESTED } from "#domain/chains.ts";
import { HOPS_HEADER, MAX_HOPS } from "#domain/deliveries.ts";

/** By these a request says whose it is. Cloudflare's edge sets them, and makes `cf-connecting-ip` of `x-real-ip` inside one zone. */
const CLIENT_HEADERS = ["cf-connecting-ip", "cf-connecting-ipv6", "true-client-ip", "x-real-ip"];

/** Between Workers headers pass as they are, so that none of these can be the edge's. */
const EDGE_HEADER = /^(?:cf-|x-forwarded-|forwarded$|true-client-ip$|x-real-ip$)/;

/**
 * A request of user code without what only the platform or the edge may say: `cf` options, which decide what
 * Cloudflare caches and under which key for the whole zone, and the address of the client.
 */
export function withoutClaims(request: Request): Request {
  const plain = new Request(request, { cf: {} });
  for (const name of CLIENT_HEADERS) plain.headers.delete(name);
  return plain;
}

/** A request to the platform itself: without the headers that the edge sets on those of others, with what led to it. */
export function toPlatform(request: Request): Request {
  const plain = new Request(request);
  for (const name of request.headers.keys()) if (EDGE_HEADER.test(name)) plain.headers.delete(name);
  if (plain.headers.has(HOPS_HEADER)) return plain;
  // Nobody knows what led to it: it may go one hop further.
  plain.headers.set(HOPS_HEADER, String(MAX_HOPS - 1));
  plain.headers.set(BUDGET_HEADER, "1");
  plain.headers.set(DEPTH_HEADER, String(MAX_NESTED));
  return plain;
}
