import { endOfDay } from "../domain/billing.ts";
import { type QuotaName, usedUp } from "../domain/quotas.ts";
import type { CustomResponse } from "../sandbox/user-code.ts";

const BODILESS = new Set([204, 205, 304]);

/** What a component responded with, as HTTP; 502 where it cannot be sent. */
export function toHttp({ status, headers, body }: CustomResponse): Response {
  if (status < 200)
    return refuse(
      502,
      "upstream_failed",
      `The component responded with ${status}, which cannot be sent`,
    );
  try {
    return new Response(BODILESS.has(status) ? null : body, { status, headers });
  } catch {
    return refuse(
      502,
      "upstream_failed",
      "The component responded with headers that cannot be sent",
    );
  }
}

/** The answer to OPTIONS where the component does not answer by itself: any origin may call. */
export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...common(),
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
      "access-control-allow-headers": "*",
      "access-control-max-age": "86400",
    },
  });
}

/** A failure in the envelope of the API. */
export function refuse(
  status: number,
  code: string,
  error: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ error, code }, { status, headers: { ...common(), ...headers } });
}

/** The answer to an event that is on disk, by the id of its request; `more` is told along with it. */
export function accept(requestId?: string, more: Record<string, string> = {}): Response {
  return Response.json({ ok: true, ...more }, { headers: common(requestId) });
}

/** What every answer has that is not a component's own: a name, and leave for pages of any origin to read it. */
function common(requestId: string = crypto.randomUUID()) {
  return {
    "x-request-id": requestId,
    "access-control-allow-origin": "*",
    "access-control-expose-headers":
      "x-request-id, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset",
  };
}

/** Give a refusal of the platform's own the id that its request has in the log. Those of components stay as they are. */
export function named(response: Response, requestId: string): Response {
  if (!response.ok && response.headers.has("x-request-id"))
    response.headers.set("x-request-id", requestId);
  return response;
}

/** Refuse an event that has come through so many emitters that it must go in a circle. */
export function refuseLoop(hops: number): Response {
  return refuse(508, "loop_detected", `The event has come through ${hops} emitters already`);
}

/** Refuse a trigger until the owner's quotas are whole again, which is at midnight UTC. */
export function refuseForQuota(
  { quota, limit }: { quota: QuotaName; limit: number },
  nowMs: number,
): Response {
  const resetAt = endOfDay(nowMs / 1000);
  const headers = {
    "retry-after": String(Math.ceil(resetAt - nowMs / 1000)),
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": String(resetAt),
  };
  return refuse(429, "quota_exceeded", `The event was not taken: ${usedUp(quota)}`, headers);
}
