import { z } from "@hono/zod-openapi";

import { eventId } from "#domain/event-ids.ts";
import type { Json } from "#domain/json.ts";
import { cursorAfter } from "#services/agents/event-history.ts";
import { listEventTypes } from "#services/agents/events.ts";
import { pollEvents } from "#services/agents/poll.ts";
import { type StreamOutput, streamEvents } from "#services/agents/stream.ts";
import { unsubscribeFromEvents } from "#services/agents/subscriptions/end.ts";
import {
  type GrantedSubscription,
  subscribeToEvents,
} from "#services/agents/subscriptions/subscribe.ts";

import { eventError, unsupportedDelivery } from "./event-errors.ts";
import { presentComponent, presentSource } from "./event-types.ts";
import type { McpExtension, McpMethod } from "./extensions.ts";

/** The poll interval if no events are left. */
const POLL_INTERVAL_MS = 5000;

/** Declare a method with the types of its parameters, which reports errors in the form of SEP-3415. */
function methodOf<P extends z.ZodType>(method: McpMethod<P>): McpMethod {
  const handle: McpMethod<P>["handle"] = async (...call) => {
    try {
      return await method.handle(...call);
    } catch (error) {
      throw eventError(error);
    }
  };
  return { ...method, handle };
}

const Arguments = z.record(z.string(), z.custom<Json>());

const Key = z.object({ name: z.string().min(1).max(200), arguments: Arguments.nullish() });

const list = methodOf({
  method: "events/list",
  params: z.object({ cursor: z.string().max(1000).nullish() }),
  handle: async (agent, { cursor }) => {
    const page = await listEventTypes(agent, cursor ?? undefined);
    const { sources, components, accounts, nextCursor } = page;
    return {
      events: [
        ...sources.map((type) => presentSource(type)),
        ...components.map((type) => presentComponent(type, accounts)),
      ],
      nextCursor,
    };
  },
});

const poll = methodOf({
  method: "events/poll",
  params: Key.extend({
    cursor: z.string().max(200).nullish(),
    maxEvents: z.int().min(1).max(100).default(50),
    maxAgeMs: z.int().min(0).nullish(),
  }),
  handle: async (agent, { name, arguments: args, cursor, maxEvents, maxAgeMs }) => {
    const polled = await pollEvents(agent, {
      name,
      arguments: args ?? {},
      cursor: cursor ?? undefined,
      maxEvents,
      maxAgeMs: maxAgeMs ?? undefined,
    });
    return { ...polled, nextPollMs: polled.hasMore ? 0 : POLL_INTERVAL_MS };
  },
});

/** Identifies the stream of a notification. */
const REQUEST_ID = "io.modelcontextprotocol/subscriptionId";

const stream = methodOf({
  method: "events/stream",
  params: Key.extend({
    cursor: z.string().max(200).nullish(),
    maxAgeMs: z.int().min(0).nullish(),
  }),
  handle: async (agent, { name, arguments: args, cursor, maxAgeMs }, { id, signal, notify }) => {
    const send = (kind: string, params: object) => {
      const method = `notifications/events/${kind}`;
      return notify({ method, params: { ...params, _meta: { [REQUEST_ID]: id } } });
    };
    const output: StreamOutput = {
      active: (state) => send("active", state),
      event: (occurrence) => send("event", occurrence),
      heartbeat: (state) => send("heartbeat", state),
      terminated: (state) => send("terminated", state),
    };
    const followed = {
      name,
      arguments: args ?? {},
      cursor: cursor ?? undefined,
      maxAgeMs: maxAgeMs ?? undefined,
    };
    await streamEvents(agent, followed, { output, signal });
    return { _meta: { [REQUEST_ID]: id } };
  },
});

const Url = z.string().max(2000);
const Delivery = z.object({ mode: z.string().max(50).optional(), url: Url });

const subscribe = methodOf({
  method: "events/subscribe",
  params: Key.extend({
    delivery: Delivery.extend({ secret: z.string().max(200) }),
    cursor: z.string().max(200).nullish(),
    // No lifetime is refused: it becomes the nearest that is granted.
    ttlMs: z.int().nullish(),
    maxAgeMs: z.int().min(0).nullish(),
  }),
  handle: async (agent, { name, arguments: args, delivery, cursor, ttlMs, maxAgeMs }) => {
    checkMode(delivery);
    const granted = await subscribeToEvents(agent, {
      name,
      arguments: args ?? {},
      url: delivery.url,
      secret: delivery.secret,
      cursor: cursor ?? undefined,
      ttlMs,
      maxAgeMs: maxAgeMs ?? undefined,
    });
    const resume = await cursorAfter(agent, name, eventId(granted.progress.watermark));
    return presentGranted(granted, resume);
  },
});

const unsubscribe = methodOf({
  method: "events/unsubscribe",
  params: Key.extend({ delivery: Delivery }),
  handle: async (agent, { name, arguments: args, delivery }) => {
    checkMode(delivery);
    await unsubscribeFromEvents(agent, { name, arguments: args ?? {}, url: delivery.url });
    return {};
  },
});

function checkMode({ mode = "webhook" }: { mode?: string | undefined }): void {
  if (mode !== "webhook") throw unsupportedDelivery(mode);
}

function presentGranted(
  { id, expiresAt, truncated, progress, isNew }: GrantedSubscription,
  cursor: string,
) {
  const { active, deliveredAtMs, failingSinceMs, failure } = progress;
  return {
    id,
    refreshBefore: new Date(expiresAt * 1000).toISOString(),
    cursor,
    truncated,
    ...(!isNew && {
      deliveryStatus: {
        active,
        lastDeliveryAt: timeOf(deliveredAtMs),
        lastError: failure,
        ...(failingSinceMs !== null && { failedSince: timeOf(failingSinceMs) }),
      },
    }),
  };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** Events of deployed sources, and of components that are deployed for who subscribes to them. */
export const EVENTS: McpExtension = {
  id: "io.modelcontextprotocol/events",
  settings: {},
  methods: [list, poll, subscribe, unsubscribe, stream],
};
