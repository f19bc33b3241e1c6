import { connect } from "../db/client.ts";
import { routesOf } from "../db/routes.ts";
import type { Delivery } from "../domain/deliveries.ts";
import { isId } from "../domain/ids.ts";
import type { Exchange } from "./router.ts";

/** The router's view of this deployment. */
export function openExchange(env: Env): Exchange {
  const db = connect(env.DB);
  return {
    claim: (sourceId, positions) => env.SOURCES.getByName(sourceId).claim(positions),
    routes: (emitters) => routesOf(db, emitters),
    deliver: (listenerId, deliveries) => deliverTo(env, listenerId, deliveries),
    acknowledge: (sourceId, positions, isHeard) =>
      env.SOURCES.getByName(sourceId).acknowledge(positions, isHeard),
    send: async (message) => {
      await env.EMISSIONS.send(message);
    },
  };
}

async function deliverTo(env: Env, id: string, deliveries: Delivery[]): Promise<boolean> {
  if (isId("source", id)) return env.SOURCES.getByName(id).receive(deliveries);
  if (isId("webhook", id)) {
    await env.WEBHOOKS.getByName(id).take(
      deliveries.map(({ channel: eventName, ...delivery }) => ({ ...delivery, eventName })),
    );
    return true;
  }
  throw new Error(`${id} is no listener`);
}
