import { endOfDay } from "#domain/billing.ts";
import { MAX_RUNS_PER_TRIGGER } from "#domain/chains.ts";
import { MAX_HOPS } from "#domain/deliveries.ts";
import { type QuotaName, usedUp } from "#domain/quotas.ts";

import { componentHeaders, headerPairs, type Place } from "./component-headers.ts";
import type { CustomResponse } from "./custom-response.ts";
import type { RequestHead } from "./requests.ts";

const BODILESS = new Set([204, 205, 304]);

/** The response of an object to a request, as plain data: of the platform, or of a component. */
export type HttpResponse = CustomResponse & {
  isOwn?: boolean;
  /** The number of shards that take the source's requests. 0: this one does not; its own object responds. */
  shards?: number;
};

/** A response as HTTP. */
export function toHttp(
  { status, headers, body, isOwn = false }: HttpResponse,
  { method, requestId, ...place }: Pick<RequestHead, "method" | "requestId"> & Place,
): Response {
  return new Response(method === "HEAD" || BODILESS.has(status) ? null : body, {
    status,
    headers: isOwn
      ? headerPairs({ ...common(requestId), ...headers })
      : componentHeaders(headers, place),
  });
}

/** The response of a component; 502 if it cannot be sent. */
export function custom(response: CustomResponse): HttpResponse {
  const fault = faultOf(response);
  return fault === undefined
    ? response
    : refuse(502, "upstream_failed", `The component responded with ${fault} cannot be sent`);
}

function faultOf({ status, headers }: CustomResponse): string | undefined {
  if (status < 200) return `${status}, which`;
  try {
    void new Headers(headerPairs(headers));
    return undefined;
  } catch {
    return "headers that";
  }
}

/** The response to OPTIONS unless the component responds itself: any origin may call. */
export function preflight(): HttpResponse {
  return {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
      "access-control-allow-headers": "*",
      "access-control-max-age": "86400",
    },
    body: null,
    isOwn: true,
  };
}

/** A failure in the envelope of the API. */
export function refuse(
  status: number,
  code: string,
  error: string,
  headers: Record<string, string> = {},
): HttpResponse {
  return json(status, { error, code }, headers);
}

/** The response to an event that is stored; `more` is added to it. */
export function accept(more: Record<string, string> = {}): HttpResponse {
  return json(200, { ok: true, ...more });
}

function json(
  status: number,
  value: Record<string, unknown>,
  headers: Record<string, string> = {},
): HttpResponse {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(value),
    isOwn: true,
  };
}

/** Headers of every response of the platform: the request's id, and access for pages of any origin (CORS). */
function common(requestId: string) {
  return {
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    "access-control-allow-origin": "*",
    "access-control-expose-headers":
      "x-request-id, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset",
  };
}

/** Refuse an event in a loop: it has passed too many emitters, or its trigger has caused too many runs. */
export function refuseLoop({
  hops,
  budget,
}: {
  hops: number;
  budget: number;
}): HttpResponse | undefined {
  if (hops >= MAX_HOPS)
    return refuse(508, "loop_detected", `Hop limit (${MAX_HOPS}) reached, possible loop`);
  if (budget > 0) return undefined;
  return refuse(
    508,
    "loop_detected",
    `The trigger of the event has caused ${MAX_RUNS_PER_TRIGGER} runs already`,
  );
}

/** Refuse a trigger until the owner's quotas reset at midnight UTC. */
export function refuseForQuota(
  { quota, limit }: { quota: QuotaName; limit: number },
  nowMs: number,
): HttpResponse {
  const message = `The event was not accepted: ${usedUp(quota)}`;
  // It has no day on which it resets.
  if (quota === "storage_quota")
    return refuse(429, "quota_exceeded", message, { "retry-after": "60" });
  const resetAt = endOfDay(nowMs / 1000);
  const headers = {
    "retry-after": String(Math.ceil(resetAt - nowMs / 1000)),
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": String(resetAt),
  };
  return refuse(429, "quota_exceeded", message, headers);
}
