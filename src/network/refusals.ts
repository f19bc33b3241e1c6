import type { OwnerId } from "../domain/ids.ts";
import { log } from "../telemetry/log.ts";
import { measure } from "../telemetry/metrics.ts";
import { classOf, methodOf } from "../telemetry/words.ts";
import type { Answer } from "./answers.ts";

type Asked = {
  requestId: string;
  method: string;
  ownerId: OwnerId | undefined;
  emitterId: string | undefined;
  startMs: number;
};

/** Tell and measure that an endpoint answered for the platform that it did not take an event. */
export function tellOfRefusal({ status, requestId: own }: Answer, asked: Asked): void {
  // What components answer has no id of ours, and is their own affair.
  if (status < 400 || own === undefined) return;
  const { requestId: request_id, ownerId: owner_id, emitterId: emitter_id } = asked;
  const method = methodOf(asked.method);
  const duration_ms = Date.now() - asked.startMs;
  log("event_refused", { request_id, owner_id, emitter_id, method, status, duration_ms });
  measure({
    kind: "request",
    owner_id,
    route: "/e/:key",
    outcome: classOf(status),
    method,
    duration_ms,
    status,
    d1_round_trips: 0,
  });
}
