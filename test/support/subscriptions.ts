import type { Id } from "#domain/ids.ts";
import { newSigningSecret } from "#domain/signature.ts";

import { signUp } from "./client.ts";
import { ordersOf } from "./events.ts";
import { agentOf } from "./mcp.ts";
import { newCallback } from "./webhook.ts";

type User = Awaited<ReturnType<typeof signUp>>;
type Agent = ReturnType<typeof agentOf>;
type Callback = Awaited<ReturnType<typeof newCallback>>;

/** An agent with a key of the user's. */
export async function keyed(ada: User, scope = "read subscribe", more: object = {}) {
  const { body } = await ada.post("/agent_keys", { name: "Robot", scope, ...more });
  const token = body.data.agent_key as string;
  return { agent: agentOf(token), token, id: body.data.id as string };
}

/** The subscriptions of an agent to one event type, with one callback. */
export function subscriber(agent: Agent, name: string, callback: Pick<Callback, "url">) {
  const secret = newSigningSecret();
  const delivery = { mode: "webhook", url: callback.url, secret };
  return {
    secret,
    subscribe: async (params: Record<string, unknown> = {}, more: object = {}) =>
      (
        await agent.send("events/subscribe", {
          name,
          delivery: { ...delivery, ...more },
          ...params,
        })
      ).body,
    unsubscribe: async (params: Record<string, unknown> = {}) =>
      (
        await agent.send("events/unsubscribe", {
          name,
          delivery: { mode: "webhook", url: callback.url },
          ...params,
        })
      ).body,
  };
}

/** The webhook that serves the only subscription of a user. */
export async function webhookOf(ada: User): Promise<Id<"webhook">> {
  const { data } = (await ada.get("/users/me/webhooks")).body;
  return data[0].id;
}

/** A user with a source, an agent of the user's, and a callback for its subscriptions. */
export async function newSubscriber(...script: Parameters<typeof newCallback>) {
  const ada = await signUp();
  const orders = await ordersOf(ada);
  const { agent, token, id: key } = await keyed(ada);
  const callback = await newCallback(...script);
  return { ada, orders, agent, token, key, callback, ...subscriber(agent, orders.id, callback) };
}
