import { connect } from "../db/client.ts";
import { routesOf } from "../db/routes.ts";
import type { Claim, Delivery } from "../domain/deliveries.ts";
import type { Position } from "../domain/event-ids.ts";
import { isId } from "../domain/ids.ts";
import type { Exchange } from "./router.ts";

/** The methods by which the outbox of an emitter is emptied. */
type Emitting = {
  claim(positions: Position[]): Promise<Claim | null>;
  acknowledge(positions: Position[], isHeard: boolean): Promise<void>;
};

/** The router's view of this deployment. */
export function openExchange(env: Env): Exchange {
  const db = connect(env.DB);
  return {
    claim: (id, positions) => emitterOf(env, id).claim(positions),
    routes: (emitters) => routesOf(db, emitters),
    deliver: (listenerId, deliveries) => deliverTo(env, listenerId, deliveries),
    acknowledge: (id, positions, isHeard) => emitterOf(env, id).acknowledge(positions, isHeard),
    send: async (message) => {
      await env.EMISSIONS.send(message);
    },
  };
}

/** The object that keeps what an emitter emitted. */
function emitterOf(env: Env, id: string): Emitting {
  return isId("workflow", id) ? env.WORKFLOWS.getByName(id) : env.SOURCES.getByName(id);
}

async function deliverTo(env: Env, id: string, deliveries: Delivery[]): Promise<boolean> {
  if (isId("source", id)) return env.SOURCES.getByName(id).receive(deliveries);
  if (isId("workflow", id)) return env.WORKFLOWS.getByName(id).receive(deliveries);
  if (isId("webhook", id)) {
    await env.WEBHOOKS.getByName(id).take(
      deliveries.map(({ channel: eventName, ...delivery }) => ({ ...delivery, eventName })),
    );
    return true;
  }
  throw new Error(`${id} is no listener`);
}
