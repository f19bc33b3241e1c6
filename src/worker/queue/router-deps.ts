import { atMost, MAX_CONNECTIONS } from "#domain/concurrency.ts";
import type { Claim } from "#domain/deliveries.ts";
import type { Position } from "#domain/event-ids.ts";
import { isId } from "#domain/ids.ts";
import { queueOf } from "#domain/queues.ts";
import type { Route } from "#domain/routes.ts";

import type { RouterDeps } from "./router.ts";

/** The methods that drain the outbox of an emitter. */
type Emitting = {
  claim(positions: Position[], maxBytes: number): Promise<Claim | null>;
  acknowledge(positions: Position[], hasSubscribers: boolean): Promise<void>;
};

/** The router's deps in this deployment. */
export function createRouterDeps(env: Env): RouterDeps {
  const inTurn = atMost(MAX_CONNECTIONS);
  return {
    claim: (id, positions, maxBytes) => emitterOf(env, id).claim(positions, maxBytes),
    async routes(ownerId, emitterIds) {
      const lists = await env.OWNERS.getByName(ownerId).routes(ownerId, emitterIds);
      return lists.flatMap((list): Route[] => JSON.parse(list));
    },
    deliver: (...delivered) => deliverTo(env, ...delivered),
    acknowledge: (id, positions, hasSubscribers) =>
      emitterOf(env, id).acknowledge(positions, hasSubscribers),
    // A batch may have a hundred messages that each need another one.
    send: (message) =>
      inTurn(async () => {
        await queueOf(env, message.sourceId).send(message);
      }),
  };
}

/** The object that keeps an emitter's events. */
function emitterOf(env: Env, id: string): Emitting {
  if (isId("webhook", id)) return env.WEBHOOKS.getByName(id);
  return isId("workflow", id) ? env.WORKFLOWS.getByName(id) : env.SOURCES.getByName(id);
}

async function deliverTo(
  env: Env,
  ...[id, deliveries, listeners]: Parameters<RouterDeps["deliver"]>
): Promise<boolean> {
  if (isId("source", id)) return env.SOURCES.getByName(id).receive(deliveries);
  if (isId("workflow", id)) return env.WORKFLOWS.getByName(id).receive(deliveries);
  if (isId("webhook", id)) {
    const isTaken: unknown = await env.WEBHOOKS.getByName(id).take(
      deliveries.map(({ channel: eventName, ...delivery }) => ({ ...delivery, eventName })),
      listeners,
    );
    // An object that still runs an older release returns nothing.
    return isTaken !== false;
  }
  throw new Error(`${id} is no listener`);
}
