import type { Delivery } from "#domain/deliveries.ts";
import type { EmissionMessage } from "#domain/messages.ts";
import type { Route } from "#domain/routes.ts";
import type { RouterDeps } from "#worker/queue/router.ts";

/** Deps that record the calls of the router. `down`: listeners that reject everything; `payload`: of each event. */
export function routerDepsOf(routes: Route[], down = new Set<string>(), payload = "1") {
  const notes = {
    claims: 0,
    trips: 0,
    hasSubscribers: undefined as boolean | undefined,
    delivered: [] as { listenerId: string; deliveries: Delivery[] }[],
    acknowledged: [] as [string, number[]][],
    sent: [] as EmissionMessage[],
  };
  const deps: RouterDeps = {
    claim: async (sourceId, positions) => {
      notes.claims += 1;
      return sourceId === "dc_gone"
        ? null
        : {
            deferred: positions.filter((position) => position >= 1000),
            events: positions
              .filter((position) => position < 1000)
              .map((position) => ({
                position,
                channel: "",
                emitId: `e${position}`,
                payload,
                hops: 1,
              })),
          };
    },
    routes: async () => {
      notes.trips += 1;
      return routes;
    },
    deliver: async (listenerId, deliveries) => {
      if (down.has(listenerId)) throw new Error("down");
      notes.delivered.push({ listenerId, deliveries });
      return true;
    },
    acknowledge: async (sourceId, positions, hasSubscribers) => {
      notes.hasSubscribers = hasSubscribers;
      notes.acknowledged.push([sourceId, positions]);
    },
    send: async (message) => void notes.sent.push(message),
  };
  return { deps, notes, routes };
}
