import { DEFAULT_CHANNEL, ERROR_CHANNEL } from "./channels.ts";

/** A source or workflow with its owner. */
export type Emitter = { id: string; ownerId: string };

/** A subscription as the router reads it: `emitterId` is an id, a glob (`dc_*`, `p_*`) or an owner's id. */
export type Route = { emitterId: string; ownerId: string; channel: string; listenerId: string };

/** Who receives an event: each listener once, however many subscriptions match (docs/contract.md: Subscriptions). */
export function listenersOf(emitter: Emitter, channel: string, routes: readonly Route[]): string[] {
  const matching = routes.filter(
    (route) =>
      route.channel === channel && matches(route, emitter) && !isEcho(route, emitter, channel),
  );
  return [...new Set(matching.map(({ listenerId }) => listenerId))];
}

/** Whether a subscription matches an emitter at all, on whatever channel. */
export function matches({ emitterId, ownerId, channel }: Route, emitter: Emitter): boolean {
  if (emitterId === emitter.id) return true;
  if (isGlob(emitterId))
    return ownerId === emitter.ownerId && emitter.id.startsWith(emitterId.slice(0, -1));
  // All errors of an owner.
  return emitterId === emitter.ownerId && channel === ERROR_CHANNEL;
}

/** A glob matches its own listener too; a source's events on the default channel must not trigger that source again. */
function isEcho({ listenerId }: Route, emitter: Emitter, channel: string): boolean {
  return listenerId === emitter.id && channel === DEFAULT_CHANNEL;
}

function isGlob(emitterId: string): boolean {
  return emitterId.endsWith("_*");
}
