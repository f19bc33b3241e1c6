import type { Termination } from "#domain/agent-events.ts";
import type { Position } from "#domain/event-ids.ts";
import type { Id, OwnerId } from "#domain/ids.ts";

/** The configuration of a webhook, from the control plane. */
export type WebhookSettings = {
  id: Id<"webhook">;
  url: string;
  active: boolean;
  /** Whether requests also have the signature of the Connect API. Absent: unchanged, at first not. */
  connectSignature?: boolean;
  /** Absent: unchanged, at first none. */
  agent?: AgentDelivery;
};

/** The subscription of an agent that a webhook serves, so that it sends events in the format of MCP clients. */
export type AgentDelivery = {
  subscriptionId: Id<"agent_subscription">;
  /** The owner of the event type. Absent: an earlier release set it up, and no request has refreshed it since. */
  owner?: OwnerId;
  /** The name of the event type. */
  name: string;
  /** It is for the events after this position. */
  after: Position;
  /** Nothing is sent after this time, epoch milliseconds. */
  expiresAtMs: number;
};

/** The configuration of a webhook that serves an agent. Without a position to begin after, it continues. */
export type ServingSettings = Omit<WebhookSettings, "agent"> & {
  agent: Omit<AgentDelivery, "after"> & { after?: Position };
};

/** A callback of an agent that is to be verified. */
export type NewCallback = {
  url: string;
  secret: string;
  subscriptionId: Id<"agent_subscription">;
};

/** The reason why a callback did not accept a message (SEP-3415: Webhook Delivery Status). */
export type CallbackFailure =
  | "connection_refused"
  | "timeout"
  | "tls_error"
  | "http_4xx"
  | "http_5xx"
  | "challenge_failed";

/** The progress of a webhook that serves an agent. */
export type AgentProgress = {
  /** The position up to which the callback has every event, or the webhook has given it up. */
  watermark: Position;
  active: boolean;
  /** The time of the callback's last accepted event, epoch milliseconds; null: never, as far as is known. */
  deliveredAtMs: number | null;
  failingSinceMs: number | null;
  /** The reason of its failure; null: it does not fail. */
  failure: CallbackFailure | null;
};

/** An event that a webhook must deliver. */
export type NewDelivery = {
  position: Position;
  emitterId: string;
  eventId: string;
  /** Globally unique: the delivery's id for the receiver, over all its attempts. */
  emitId: string;
  eventName: string;
  /** The number of emitters that the event has passed. */
  hops: number;
  /** The number of runs that it may cause; absent: the maximum of a trigger. */
  budget?: number | undefined;
  /** The id of the first request or tick, to trace an event in the log. */
  requestId?: string | undefined;
  /** JSON text: the body, unchanged. */
  payload: string;
};

/**
 * `failed`: some attempt failed and another is due. `dead`: given up, and nothing is sent unless it is retried on
 * request.
 */
export type DeliveryState = "pending" | "delivered" | "failed" | "dead";

export type Attempt = {
  atMs: number;
  /** Null if no response arrived. */
  status: number | null;
  latencyMs: number;
  /** Whether none arrived in time. Absent: not, or an earlier release stored the attempt. */
  isTimeout?: true;
  error?: string;
  /** The beginning of the response's body. */
  response?: string;
};

/** The response of a receiver: its beginning, and no secret among its headers. */
export type ReceivedResponse = {
  headers: Record<string, string>;
  body: string;
  isTruncated: boolean;
};

export type Delivery = {
  id: string;
  eventId: string;
  emitterId: string;
  eventName: string;
  state: DeliveryState;
  /** Oldest first; the last ones if there were very many. */
  attempts: Attempt[];
  nextAttemptAtMs?: number;
};

export type DeliveryQuery = {
  limit: number;
  /** Delivery ids, exclusive. At most one of the two. */
  after?: string | undefined;
  before?: string | undefined;
  state?: DeliveryState | undefined;
};

/**
 * A delivery with the request that sends it: as in its last attempt, else as in the first to come. Without signatures.
 * A long `body` is truncated.
 */
export type DeliveryDetails = Delivery & {
  request: {
    url: string;
    headers: Record<string, string>;
    body: string;
    bodyBytes: number;
    isTruncated: boolean;
  };
  /** Of the last attempt; null if none arrived, or if a release received it that stored none. */
  response: ReceivedResponse | null;
};

/** Newest first. */
export type DeliveryPage = { deliveries: Delivery[]; totalCount: number };

export type WebhookStatus = {
  active: boolean;
  /** The time of the first failure since the last success; null: it does not fail. */
  failingSinceMs: number | null;
  /** The reason why the platform deactivated it; null if it did not. */
  reason: string | null;
};

/** `whsec_…`; null if there is nothing to show. */
export type SigningSecret = { signingSecret: string | null };

/** A secret that a webhook signs with until then; null: as long as it is not replaced. Epoch milliseconds. */
export type Secret = { secret: string; untilMs: number | null };

/** The state of a webhook in a backup. */
export type WebhookSnapshot = { settings: WebhookSettings; secrets: Secret[] };

/** The methods of `WebhookObject` that others may call. */
export type WebhookControl = {
  /** Set up or change it. The first call generates the signing secret and alone returns it. */
  configure(settings: WebhookSettings): Promise<SigningSecret>;
  /**
   * Set up or change one that serves an agent, and sign with the agent's secret; for a while with the previous one,
   * too.
   */
  serve(settings: ServingSettings, secret: string): Promise<void>;
  /** Verify a callback before it is served. Null: it returned the challenge. */
  challenge(callback: NewCallback): Promise<CallbackFailure | null>;
  /** Null if it serves no agent. */
  progress(): Promise<AgentProgress | null>;
  /** Erase everything at once, and report the end of its subscription to the callback, without waiting for it. */
  terminate(error: Termination): Promise<void>;
  /** Sign with a new secret; until `overlapMs` have passed, with the old one too. */
  rotateSecret(overlapMs?: number): Promise<SigningSecret>;
  /** The signing secrets, newest first; only for backups. */
  secrets(): Promise<Secret[]>;
  /** Rewrap its secrets with the current master key. */
  rewrap(): Promise<boolean>;
  /** Restore a backup. False if the webhook is set up already. */
  restore(snapshot: WebhookSnapshot): Promise<boolean>;
  /**
   * Store events, each once. When this returns they survive a crash. `listeners`: the number of those that get events in
   * the same pass of the router, 1 if absent. False: there is no room for them now.
   */
  take(deliveries: NewDelivery[], listeners?: number): Promise<boolean>;
  deliveries(query: DeliveryQuery): Promise<DeliveryPage>;
  /** Null if it is unknown. */
  delivery(deliveryId: string): Promise<DeliveryDetails | null>;
  /** Send a delivery now, in any state. False if it is unknown or the webhook is inactive. */
  retry(deliveryId: string): Promise<boolean>;
  /**
   * Send again all deliveries of events in a range of time, both ends inclusive, that are settled or wait for a retry.
   * Returns their number.
   */
  replay(fromMs: number, toMs: number): Promise<number>;
  /** The number of deliveries that `replay` would send. */
  replayable(fromMs: number, toMs: number): Promise<number>;
  status(): Promise<WebhookStatus>;
  /** Set the needed alarm if it was lost. Returns whether it was. */
  keepAlarm(): Promise<boolean>;
  /** Resume work that a crash of the process interrupted, without waiting for the alarm. */
  recover(): Promise<void>;
  /** Erase everything at once. */
  remove(): Promise<void>;
};
