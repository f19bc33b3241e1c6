import { failureOf } from "./agent-delivery.ts";
import type { AgentProgress } from "./contract.ts";
import type { Deliveries } from "./deliveries.ts";
import type { EndpointHealth } from "./endpoint-health.ts";
import type { DeliveryLog } from "./log.ts";

type Deps = { deliveries: Deliveries; health: EndpointHealth; log: DeliveryLog };

/** The progress of a webhook that serves an agent; null if it serves none. */
export function progressOf({ deliveries, health, log }: Deps): AgentProgress | null {
  const { current } = health;
  if (!current?.agent) return null;
  const { active, failingSinceMs, agent } = current;
  const isFailing = failingSinceMs !== null || !active;
  const failed = isFailing ? log.lastFailure() : undefined;
  const first = deliveries.firstUnsettled();
  return {
    watermark: first === undefined ? (deliveries.last() ?? agent.after) : first - 1,
    active,
    deliveredAtMs: log.lastDeliveredMs(),
    failingSinceMs,
    failure: failed ? failureOf(failed) : null,
  };
}
