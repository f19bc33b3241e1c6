import { env } from "cloudflare:workers";

import { connect } from "#db/client.ts";
import { routesOf } from "#db/routes.ts";
import { ALL_EMITTERS, type Emitter, type Route, routeKeysOf } from "#domain/routes.ts";
import { createRouterDeps } from "#worker/queue/router-deps.ts";

/** Make an owner's object read its subscriptions again, after a test has edited them in D1 by hand. */
export async function forgetRoutes(owner: string): Promise<void> {
  await env.OWNERS.getByName(owner).endRoutesChange("by hand", [ALL_EMITTERS]);
}

/** D1's subscriptions of an emitter, in one text. */
export async function routesInD1(emitter: Emitter): Promise<string> {
  return textOf(await routesOf(connect(env.DB), emitter.ownerId, routeKeysOf(emitter)));
}

/** The router's result from them. */
export async function routesOfRouter(emitter: Emitter): Promise<string> {
  return textOf(await createRouterDeps(env).routes(emitter.ownerId, routeKeysOf(emitter)));
}

function textOf(routes: readonly Route[]): string {
  const texts = routes.map(({ emitterId, channel, listenerId, filter }) =>
    [emitterId, channel, listenerId, filter].join(" "),
  );
  return texts.toSorted().join("\n");
}
