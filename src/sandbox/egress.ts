import { WorkerEntrypoint } from "cloudflare:workers";

import { networkOf, reach } from "../network/reach.ts";

/**
 * The only way of user code to the network: every `fetch` and `node:http` request of an isolate arrives here.
 * A raw TCP connection finds no handler and fails.
 */
export class Egress extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    return reach(request, networkOf(this.ctx.exports.default, this.env));
  }
}
