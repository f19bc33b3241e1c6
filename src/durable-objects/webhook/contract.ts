import type { Position } from "#domain/event-ids.ts";
import type { Id } from "#domain/ids.ts";

/** The configuration of a webhook, from the control plane. */
export type WebhookSettings = {
  id: Id<"webhook">;
  url: string;
  active: boolean;
  /** Whether requests carry the signature of the Connect API too. Absent: as it was, at first not. */
  connectSignature?: boolean;
  /** Absent: as it was, at first none. */
  agent?: AgentDelivery;
};

/** The subscription of an agent that a webhook serves, so that it sends events as MCP clients receive them. */
export type AgentDelivery = {
  subscriptionId: Id<"agent_subscription">;
  /** The name of the event type. */
  name: string;
  /** It is for the events after this position. */
  after: Position;
  /** Nothing is sent from then on, epoch milliseconds. */
  expiresAtMs: number;
};

/** The configuration of a webhook that serves an agent. Without a place to begin after, it goes on where it is. */
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

/** How far a webhook has come that serves an agent. */
export type AgentProgress = {
  /** The position up to which the callback has every event, or the webhook has given it up. */
  watermark: Position;
  active: boolean;
  /** When the callback last took an event, epoch milliseconds; null: never, as far as is known. */
  deliveredAtMs: number | null;
  failingSinceMs: number | null;
  /** The reason of its failure; null: it does not fail. */
  failure: CallbackFailure | null;
};

/** The error that a callback gets as its subscription ends. */
export type Termination = { code: number; message: string };

/** An event that a webhook is to deliver. */
export type NewDelivery = {
  position: Position;
  emitterId: string;
  eventId: string;
  /** Globally unique: the delivery's id for the receiver, over all its attempts. */
  emitId: string;
  eventName: string;
  /** How many emitters the event has come through. */
  hops: number;
  /** How many runs it may lead to; absent: as many as a trigger may. */
  budget?: number | undefined;
  /** The id of the first request or tick, to trace an event in the log. */
  requestId?: string | undefined;
  /** JSON text: the body, as it is. */
  payload: string;
};

/** `failed`: some attempt failed and another is due. `dead`: given up, and nothing is sent unless someone asks. */
export type DeliveryState = "pending" | "delivered" | "failed" | "dead";

export type Attempt = {
  atMs: number;
  /** Null where no response came. */
  status: number | null;
  latencyMs: number;
  error?: string;
  /** How the response's body begins. */
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
  /** Oldest first; the last ones where there were very many. */
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
 * A delivery with the request that carries it: as its last attempt sent it, else as the first will. Without signatures. `body`
 * is cut where it is long.
 */
export type DeliveryDetails = Delivery & {
  request: {
    url: string;
    headers: Record<string, string>;
    body: string;
    bodyBytes: number;
    isTruncated: boolean;
  };
  /** Of the last attempt; null where none came, or where it was received by a release that kept none. */
  response: ReceivedResponse | null;
};

/** Newest first. */
export type DeliveryPage = { deliveries: Delivery[]; totalCount: number };

export type WebhookStatus = {
  active: boolean;
  /** When the first of the failures was that no success has followed; null: it does not fail. */
  failingSinceMs: number | null;
  /** Why the platform has made it inactive; null where it has not. */
  reason: string | null;
};

/** `whsec_…`; null where there is nothing to show. */
export type SigningSecret = { signingSecret: string | null };

/** A secret that a webhook signs with until then; null: as long as it is not replaced. Epoch milliseconds. */
export type Secret = { secret: string; untilMs: number | null };

/** The state of a webhook in a backup. */
export type WebhookSnapshot = { settings: WebhookSettings; secrets: Secret[] };

/** The methods of `WebhookObject` that others may call. */
export type WebhookControl = {
  /** Set up or change it. The first call makes the signing secret and alone returns it. */
  configure(settings: WebhookSettings): Promise<SigningSecret>;
  /** Set up or change one that serves an agent, and sign with the agent's secret; for a while with the one before it, too. */
  serve(settings: ServingSettings, secret: string): Promise<void>;
  /** Verify a callback before it is served. Null: it returned the challenge. */
  challenge(callback: NewCallback): Promise<CallbackFailure | null>;
  /** Null where it serves no agent. */
  progress(): Promise<AgentProgress | null>;
  /** Report the end of its subscription to the callback, once. Returns whether it was taken. */
  terminate(error: Termination): Promise<boolean>;
  /** Sign with a new secret; until `overlapMs` have passed, with the old one too. */
  rotateSecret(overlapMs?: number): Promise<SigningSecret>;
  /** The signing secrets, newest first; only for backups. */
  secrets(): Promise<Secret[]>;
  /** Bring its secrets under the current master key. */
  rewrap(): Promise<boolean>;
  /** Restore a backup. False if the webhook is set up already. */
  restore(snapshot: WebhookSnapshot): Promise<boolean>;
  /** Take events over, each once. When this returns they outlive a crash. */
  take(deliveries: NewDelivery[]): Promise<void>;
  deliveries(query: DeliveryQuery): Promise<DeliveryPage>;
  /** Null where it is unknown. */
  delivery(deliveryId: string): Promise<DeliveryDetails | null>;
  /** Send a delivery now, in any state. False if it is unknown or the webhook is inactive. */
  retry(deliveryId: string): Promise<boolean>;
  /** Send again all that settled and was emitted in a range of time, both ends inclusive. Returns how many. */
  replay(fromMs: number, toMs: number): Promise<number>;
  /** How many deliveries `replay` would send. */
  replayable(fromMs: number, toMs: number): Promise<number>;
  status(): Promise<WebhookStatus>;
  /** Set the alarm that is needed, where it was lost. Returns whether it was. */
  keepAlarm(): Promise<boolean>;
  /** Resume work that a crash of the process interrupted, without waiting for the alarm. */
  recover(): Promise<void>;
  /** Erase everything at once. */
  remove(): Promise<void>;
};
