import { WorkerEntrypoint } from "cloudflare:workers";

import type { Cause } from "#domain/chains.ts";
import type { OwnerId } from "#domain/ids.ts";
import { egressUsage } from "#telemetry/metrics.ts";

import { carry } from "./connection.ts";
import { meteredFetch } from "./metered-fetch.ts";
import { networkOf, ownOrigins } from "./network.ts";
import { EgressTally } from "./tally.ts";

const tally = new EgressTally();

/** The owner; and the cause of requests that the host sends, because an isolate has one egress for all of its calls. */
type EgressProps = { owner: OwnerId; cause?: Cause };

/**
 * The network of user code that the loader runs: it receives every `fetch` and `node:http` request and every TCP
 * connection of an isolate.
 */
export class Egress extends WorkerEntrypoint<Env, EgressProps> {
  override async fetch(request: Request): Promise<Response> {
    this.#settle();
    const { owner, cause } = this.ctx.props;
    return meteredFetch(request, {
      owner,
      cause,
      adapter: "loader",
      network: networkOf(this.ctx.exports.default, this.env),
      gatewayUrl: this.env.EGRESS_GATEWAY_URL,
      usage: egressUsage(this.env),
      tally,
    });
  }

  override async connect(socket: Socket): Promise<void> {
    try {
      await carry(socket, {
        owner: this.ctx.props.owner,
        allowPrivate: this.env.ALLOW_PRIVATE_TARGETS === "true",
        gatewayUrl: this.env.EGRESS_GATEWAY_URL,
        ownUrls: ownOrigins(this.env),
        usage: egressUsage(this.env),
        tally,
      });
    } finally {
      this.#settle();
    }
  }

  /** Metering is reported later: no request waits for it. */
  #settle(): void {
    this.ctx.waitUntil(tally.settle((sums) => this.ctx.exports.Metering.reportEgress(sums)));
  }
}
