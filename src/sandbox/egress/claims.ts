import { BUDGET_HEADER, type Cause, DEPTH_HEADER, MAX_NESTED } from "#domain/chains.ts";
import { HOPS_HEADER, MAX_HOPS } from "#domain/deliveries.ts";

/**
 * Headers with the client's address. Cloudflare's edge sets them, and derives `cf-connecting-ip` from `x-real-ip`
 * within one zone.
 */
const CLIENT_HEADERS = ["cf-connecting-ip", "cf-connecting-ipv6", "true-client-ip", "x-real-ip"];

/** Headers with the cause of a request. */
const CAUSE_HEADERS = [HOPS_HEADER, BUDGET_HEADER, DEPTH_HEADER];

/** The default cause of the platform's own requests: one more hop is allowed. */
const ONE_HOP: Cause = { hops: MAX_HOPS - 1, budget: 1, depth: MAX_NESTED };

/**
 * The cause of a request of user code outside of calls: it starts no run, because that run could send the next such
 * request.
 */
export const NO_HOP: Cause = { hops: MAX_HOPS, budget: 0, depth: MAX_NESTED };

/** Headers that only the edge sets: between Workers, headers pass unchanged, so these would be forged. */
const EDGE_HEADER = /^(?:cf-|x-forwarded-|forwarded$|true-client-ip$|x-real-ip$)/;

/**
 * A request of user code without the parts that only the platform or the edge may set: `cf` options, which control the
 * cache of the whole zone, the address of the client, and the cause of the request. It has `cause` if the platform
 * knows one.
 */
export function withoutClaims(request: Request, cause?: Cause): Request {
  const plain = new Request(request, { cf: {} });
  for (const name of [...CLIENT_HEADERS, ...CAUSE_HEADERS]) plain.headers.delete(name);
  if (cause) stamp(plain, cause);
  return plain;
}

function stamp({ headers }: Request, { hops, budget, depth }: Cause): void {
  headers.set(HOPS_HEADER, String(hops));
  headers.set(BUDGET_HEADER, String(budget));
  headers.set(DEPTH_HEADER, String(depth));
}

/**
 * A request to the platform itself, without the headers that only the edge sets, and with its cause,
 * which is `unknown` without one in its headers.
 */
export function toPlatform(request: Request, unknown = ONE_HOP): Request {
  const plain = new Request(request);
  for (const name of request.headers.keys()) if (EDGE_HEADER.test(name)) plain.headers.delete(name);
  return withCause(plain, unknown);
}

/** A request with its cause, which is `unknown` without one in its headers. */
export function withCause(request: Request, unknown = ONE_HOP): Request {
  if (request.headers.has(HOPS_HEADER)) return request;
  const stamped = new Request(request);
  stamp(stamped, unknown);
  return stamped;
}
