import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

import {
  createMCPClient,
  type Experimental_MCPEventStore as SubscriptionStore,
  experimental_createMCPEventWebhook as createWebhook,
} from "@ai-sdk/mcp";

import { call, type Caller } from "../../scripts/api.ts";
import { listen } from "../../scripts/listen.ts";
import { newSubscriptionStore } from "./subscription-store.ts";

/** Maximum time of one call, and the delay before the next attempt. */
const CALL_TIMEOUT_MS = 40_000;
const RETRY_MS = 500;

/** Received events of one event type. */
class ReceivedEvents {
  /** The ids of the events of each item. */
  readonly byItem = new Map<string, Set<string>>();
  readonly #eventIds = new Set<string>();
  /** Deliveries of events that the client has already. */
  resent = 0;

  /** Store an event once by its id. */
  add(item: string, eventId: string): void {
    if (this.#eventIds.has(eventId)) this.resent += 1;
    this.#eventIds.add(eventId);
    this.byItem.set(item, (this.byItem.get(item) ?? new Set()).add(eventId));
  }
}

/** The client of an agent, with the events that its callback verified. */
export type AgentClient = {
  eventsOf: (name: string) => ReceivedEvents;
  /** Requests to the callback that it rejected, and messages other than events. */
  rejected: string[];
  /** Subscribe, or refresh the subscription, until the platform confirms it. */
  subscribe: (name: string, args: Record<string, string>) => Promise<void>;
  unsubscribe: (name: string) => Promise<void>;
  close: () => Promise<void>;
};

/** Connect the published MCP client by a key for agents, and start its callback. */
export async function connectClient(platform: Caller): Promise<AgentClient> {
  const store = newSubscriptionStore();
  const callback = await startCallback(store);
  const { agent_key: key } = await call<{ agent_key: string }>(platform, "/agent_keys", {
    name: "Chaos",
    scope: "read subscribe",
  });
  const client = await createMCPClient({
    transport: {
      type: "http",
      url: platform.url.replace(/\/v1$/, "/mcp"),
      headers: { authorization: `Bearer ${key}` },
    },
    experimental_events: { store },
  });
  const { experimental_events: events } = client;
  const ids = new Map<string, string>();
  const request = (name: string, args: Record<string, string>) => {
    const id = ids.get(name);
    const options = { timeout: CALL_TIMEOUT_MS };
    const delivery = { mode: "webhook", url: callback.url, allowInsecureLocalhost: true } as const;
    return id === undefined
      ? events.subscribe({ name, arguments: args, delivery, options })
      : events.refresh({ id, options });
  };
  return {
    eventsOf: callback.eventsOf,
    rejected: callback.rejected,
    subscribe: async (name, args) => {
      for (;;) {
        const granted = await request(name, args).catch(() => undefined);
        if (granted) return void ids.set(name, granted.id);
        await new Promise((done) => setTimeout(done, RETRY_MS));
      }
    },
    unsubscribe: (name) => events.unsubscribe({ id: ids.get(name) ?? "" }),
    close: async () => {
      await client.close();
      callback.close();
    },
  };
}

/** Serve the callback of the published client, which verifies signatures, and store events of each name. */
async function startCallback(store: SubscriptionStore) {
  const received = new Map<string, ReceivedEvents>();
  const rejected: string[] = [];
  const eventsOf = (name: string): ReceivedEvents => {
    const events = received.get(name) ?? new ReceivedEvents();
    received.set(name, events);
    return events;
  };
  const handle = createWebhook({
    store,
    onEvent: async ({ event }) => eventsOf(event.name).add(String(event.data["id"]), event.eventId),
    onGap: async ({ gap }) => void rejected.push(JSON.stringify(gap)),
    onTerminated: async ({ termination }) => void rejected.push(JSON.stringify(termination)),
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers = new Headers(Object.entries(request.headers).map(([k, v]) => [k, String(v)]));
    const body = await text(request);
    const given = new Request(`http://127.0.0.1${request.url}`, { method: "POST", headers, body });
    const answered = await handle(given);
    const { ok, status } = answered;
    // During a refresh the client postpones events.
    if (!ok && status !== 503) rejected.push(`HTTP ${status}`);
    response.writeHead(status).end(await answered.text());
  };
  const { url, close } = await listen((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  return { url: `${url}/hook`, close, eventsOf, rejected };
}
