import { WorkerEntrypoint } from "cloudflare:workers";

import type { OwnerId } from "../domain/ids.ts";
import { networkOf, reach } from "../network/reach.ts";

/**
 * The only way of user code to the network: every `fetch` and `node:http` request of an isolate arrives here.
 * A raw TCP connection finds no handler and fails.
 */
export class Egress extends WorkerEntrypoint<Env, { owner: OwnerId }> {
  override async fetch(request: Request): Promise<Response> {
    const { EGRESS_GATEWAY_URL: url } = this.env;
    const gateway = url === "" ? undefined : { url, owner: this.ctx.props.owner };
    return reach(request, { ...networkOf(this.ctx.exports.default, this.env), gateway });
  }
}
