import { connect } from "#db/client.ts";
import { addEgress } from "#db/egress.ts";
import type { OwnerId } from "#domain/ids.ts";
import { meteredFetch } from "#sandbox/egress/metered-fetch.ts";
import { ownOrigins } from "#sandbox/egress/network.ts";
import { EgressTally } from "#sandbox/egress/tally.ts";

/** Its own variables, and that of a dispatch: the owner of the sending script. */
type OutboundEnv = Pick<
  Env,
  "DB" | "PUBLIC_URL" | "EVENTS_URL" | "ALLOW_PRIVATE_TARGETS" | "EGRESS_GATEWAY_URL"
> & {
  OWNER: OwnerId;
  EGRESS_USAGE?: AnalyticsEngineDataset;
  /** The platform itself, if this Worker is bound to it; else requests to it go through the network. */
  PLATFORM?: Fetcher;
};

const tally = new EgressTally();

/**
 * The outbound Worker of the dispatch namespace: the only network access of components that run as scripts, like
 * `Egress` for those that the loader runs. TCP is not available.
 */
export default {
  fetch: (request, env, ctx) => {
    ctx.waitUntil(tally.settle((sums) => addEgress(connect(env.DB), sums)));
    return meteredFetch(request, {
      owner: env.OWNER,
      adapter: "dispatch",
      network: {
        self: env.PLATFORM ?? { fetch },
        ownUrls: ownOrigins(env),
        allowPrivate: env.ALLOW_PRIVATE_TARGETS === "true",
      },
      gatewayUrl: env.EGRESS_GATEWAY_URL,
      usage: env.EGRESS_USAGE,
      tally,
    });
  },
} satisfies ExportedHandler<OutboundEnv>;
