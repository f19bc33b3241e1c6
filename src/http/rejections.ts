import type { OwnerId } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";
import { measure } from "#telemetry/metrics.ts";
import { classOf, methodOf } from "#telemetry/words.ts";

import type { RequestHead } from "./requests.ts";
import type { HttpResponse } from "./responses.ts";

/** The target of a request; empty if nothing is deployed under its name. */
type Emitter = { emitterId?: string | undefined; ownerId?: OwnerId | undefined };

/** Log and measure an event that the platform itself rejects. Returns the response. */
export function logRejection(
  response: HttpResponse,
  { requestId: request_id, startMs, method: requestMethod, pathname }: RequestHead,
  { emitterId: emitter_id, ownerId: owner_id }: Emitter = {},
): HttpResponse {
  const { status, isOwn } = response;
  // Responses of components are not logged.
  if (status < 400 || !isOwn) return response;
  const [, kind = ""] = pathname.split("/");
  const method = methodOf(requestMethod);
  const duration_ms = Date.now() - startMs;
  log("event_refused", { request_id, owner_id, emitter_id, method, status, duration_ms });
  measure({
    kind: "request",
    owner_id,
    route: `/${kind}/:key`,
    outcome: classOf(status),
    method,
    duration_ms,
    status,
    d1_round_trips: 0,
  });
  return response;
}
