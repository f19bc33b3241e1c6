import type { OwnerId } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";
import { measure } from "#telemetry/metrics.ts";
import { classOf, methodOf } from "#telemetry/words.ts";

import type { Asked } from "./requests.ts";
import type { Answer } from "./responses.ts";

/** Whom a request was for; nobody, where nothing of that name is deployed. */
type Emitter = { emitterId?: string | undefined; ownerId?: OwnerId | undefined };

/** Tell and measure that the platform answered by itself that it did not take an event. Returns the answer. */
export function tellOfRefusal(
  answer: Answer,
  { requestId: request_id, startMs, method: asked, pathname }: Asked,
  { emitterId: emitter_id, ownerId: owner_id }: Emitter = {},
): Answer {
  const { status, isOwn } = answer;
  // What components answer is their own affair.
  if (status < 400 || !isOwn) return answer;
  const [, kind = ""] = pathname.split("/");
  const method = methodOf(asked);
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
  return answer;
}
