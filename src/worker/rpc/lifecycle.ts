import { WorkerEntrypoint } from "cloudflare:workers";

import { closeRuns, underWay } from "#telemetry/under-way.ts";

/** How a local run ends between two pieces of work. It listens at an address of its own, and wants the operator's token. */
export class Lifecycle extends WorkerEntrypoint<Env> {
  /** `GET`: the work in progress. `DELETE`: the same, and no further runs begin. */
  override async fetch(request: Request): Promise<Response> {
    const { ADMIN_TOKEN } = this.env;
    if (!ADMIN_TOKEN || request.headers.get("authorization") !== `Bearer ${ADMIN_TOKEN}`)
      return new Response(null, { status: 403 });
    if (request.method === "DELETE") closeRuns();
    return Response.json(underWay());
  }
}
