import type { ForeignResponse } from "#domain/body.ts";
import { refusalOf } from "#domain/targets.ts";

import { edgeError } from "./edge-response.ts";

const MAX_REDIRECTS = 5;

/** The operator's rules for requests to targets from users. */
export type Guard = { allowPrivate: boolean };

/** The target of a request is not allowed. */
export class TargetRefused extends TypeError {}

/** A request was redirected too often. */
export class TooManyRedirects extends Error {}

/**
 * Send one request to a target from a user. Returns redirects unfollowed. Throws `TargetRefused` for a forbidden
 * target.
 */
export async function guardedFetch(request: Request, guard: Guard): Promise<ForeignResponse> {
  return relayedFetch(request, guard);
}

/** As `guardedFetch`, for a response that is passed on unread. Throws a `ConnectionError` where Cloudflare responds with one. */
export async function relayedFetch(request: Request, { allowPrivate }: Guard): Promise<Response> {
  const refusal = refusalOf(request.url, allowPrivate);
  if (refusal !== undefined) throw new TargetRefused(refusal);
  const response = await (request.redirect === "manual" ? fetch(request) : fetch(request, MANUAL));
  const error = await edgeError(response, request.url);
  if (error === undefined) return response;
  await response.body?.cancel();
  throw error;
}

/**
 * Send one request to an address that the operator configured, which may be private: through `network` if the runtime's
 * own network refuses private addresses. A redirect is returned, not followed.
 */
export async function operatorFetch(
  request: Request,
  network: Fetcher | undefined,
): Promise<Response> {
  return network ? network.fetch(request, MANUAL) : fetch(request, MANUAL);
}

const MANUAL = { redirect: "manual" } as const;

/** Follow redirects one by one, each sent like the first. Returns the last response and its URL. */
export async function followRedirects(
  url: URL,
  send: (url: URL) => Promise<ForeignResponse>,
): Promise<{ url: URL; response: ForeignResponse }> {
  let at = url;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = await send(at);
    const location = response.headers.get("location");
    if (!isRedirect(response.status) || location === null) return { url: at, response };
    await response.body?.cancel();
    at = new URL(location, at);
  }
  throw new TooManyRedirects(`${url.href} redirects more than ${MAX_REDIRECTS} times`);
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}
