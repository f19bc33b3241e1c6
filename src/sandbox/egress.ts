import { WorkerEntrypoint } from "cloudflare:workers";

import { refusalOf } from "../domain/targets.ts";

/**
 * The only way of user code to the network: every `fetch` and `node:http` request of an isolate arrives here.
 * A raw TCP connection finds no handler and fails.
 */
export class Egress extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    // A deployed Worker cannot fetch its own hostname, so what is meant for ourselves stays inside.
    if (new URL(request.url).origin === this.env.PUBLIC_URL)
      return this.ctx.exports.default.fetch(request);
    const refusal = refusalOf(request.url, this.env.ALLOW_PRIVATE_TARGETS === "true");
    if (refusal !== undefined) throw new TypeError(refusal);
    return fetch(request);
  }
}
