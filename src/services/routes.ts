import { type RouteKeepers, RoutesChange } from "#db/routes-change.ts";
import type { RouteKey } from "#domain/routes.ts";
import { log } from "#telemetry/log.ts";

import type { AppContext } from "./context.ts";

/** The part of the context that a change of subscriptions uses. */
export type RoutesContext = Pick<AppContext, "db" | "owners" | "requestId">;

/**
 * Change subscriptions with these `keys`, so that the change applies to every event emitted after this resolves: the
 * objects of their owners read them from D1 from before the write on, and cache no result from before its end.
 */
export function changingRoutes<T>(
  ctx: RoutesContext,
  keys: readonly RouteKey[],
  write: (change: RoutesChange) => Promise<T>,
): Promise<T> {
  return RoutesChange.around(ctx.db, { keepers: keepersOf(ctx), keys }, write);
}

function keepersOf({ owners, requestId: request_id }: RoutesContext): RouteKeepers {
  const id = crypto.randomUUID();
  return {
    begin: (ownerId, emitterIds) => owners(ownerId).beginRoutesChange(id, emitterIds),
    async end(owner_id, emitterIds) {
      try {
        await owners(owner_id).endRoutesChange(id, emitterIds);
      } catch (error) {
        // Until it expires, listeners are read from D1.
        log("routes_change_open", { request_id, owner_id, error });
      }
    },
  };
}
