import type { Position } from "#domain/event-ids.ts";
import type { Id } from "#domain/ids.ts";
import type { AgentProgress } from "#durable-objects/webhook/contract.ts";

import type { EventType } from "../event-types.ts";
import type { SubscriptionKey } from "./identity.ts";

/** A subscription to an event type by a callback. */
export type NewSubscription = SubscriptionKey & {
  secret: string;
  /** The first event is after it; undefined: events from now on. */
  cursor: string | undefined;
  /** Null: as long as it may last. */
  ttlMs: number | null | undefined;
  maxAgeMs: number | undefined;
};

/** A subscription as it was granted. */
export type GrantedSubscription = {
  id: Id<"agent_subscription">;
  /** Epoch seconds. */
  expiresAt: number;
  /** Whether events after the cursor were left out. */
  truncated: boolean;
  /** The progress of its deliveries. */
  progress: AgentProgress;
  isNew: boolean;
};

/** A request to subscribe, with its id and its event type. */
export type SubscriptionRequest = {
  input: NewSubscription;
  id: Id<"agent_subscription">;
  type: EventType;
  secretHash: string;
  expiresAt: number;
  after: Position | undefined;
};
