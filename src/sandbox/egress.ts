import { WorkerEntrypoint } from "cloudflare:workers";

import type { OwnerId } from "../domain/ids.ts";
import { EgressTally } from "../network/egress-tally.ts";
import { leave } from "../network/leave.ts";
import { networkOf } from "../network/reach.ts";

const tally = new EgressTally();

/**
 * The only way to the network of user code that the loader runs: every `fetch` and `node:http` request of an isolate
 * arrives here. A raw TCP connection finds no handler and fails.
 */
export class Egress extends WorkerEntrypoint<Env, { owner: OwnerId }> {
  override async fetch(request: Request): Promise<Response> {
    // What it leads to is told later: no request waits for it.
    this.ctx.waitUntil(tally.settle((sums) => this.ctx.exports.Metering.reportEgress(sums)));
    return leave(request, {
      owner: this.ctx.props.owner,
      adapter: "loader",
      network: networkOf(this.ctx.exports.default, this.env),
      gatewayUrl: this.env.EGRESS_GATEWAY_URL,
      usage: this.env.EGRESS_USAGE,
      tally,
    });
  }
}
