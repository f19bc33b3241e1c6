import type { DeliveryKey } from "#domain/delivery-ids.ts";

import { headersOf } from "./attempt.ts";
import type { DeliveryDetails } from "./contract.ts";
import type { Deliveries } from "./deliveries.ts";
import type { EndpointHealth } from "./endpoint-health.ts";
import type { DeliveryLog } from "./log.ts";

/** How much of a body is shown. */
const MAX_BODY_CHARACTERS = 262_144;

type Deps = { deliveries: Deliveries; log: DeliveryLog; health: EndpointHealth };

/** A delivery with the request that carries it, to where the webhook points now. */
export function detailsOf(
  { deliveries, log, health }: Deps,
  key: DeliveryKey,
  nowMs: number,
): DeliveryDetails | null {
  const [shown, found] = [log.one(key), deliveries.find(key)];
  if (!shown || !found) return null;
  const { payload, attempt: next, ...delivery } = found;
  const last = shown.attempts.at(-1);
  const attempt = last ? next - 1 : next;
  const timestamp = Math.floor((last?.atMs ?? nowMs) / 1000);
  const request = {
    url: health.current?.url ?? "",
    headers: headersOf({ ...delivery, attempt }, timestamp),
    body: payload.slice(0, MAX_BODY_CHARACTERS),
    bodyBytes: new TextEncoder().encode(payload).length,
    isTruncated: payload.length > MAX_BODY_CHARACTERS,
  };
  return { ...shown, request, response: deliveries.lastResponse(key) };
}
