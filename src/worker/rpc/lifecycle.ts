import { WorkerEntrypoint } from "cloudflare:workers";

import { closeRuns, underWay } from "#telemetry/under-way.ts";
import { sweepRegularly } from "#worker/cron.ts";

/**
 * Operates a local run from outside of the runtime, over a socket of its own and with a token that only the process beside
 * it has.
 */
export class Lifecycle extends WorkerEntrypoint<Env> {
  /**
   * `GET /`: the work in progress. `DELETE /`: the same, and no further runs begin. `POST /sweep`: the scheduled sweep.
   * `POST /recover?binding=…&name=…`: an object resumes the work that a crash interrupted.
   */
  override async fetch(request: Request): Promise<Response> {
    const { LIFECYCLE_TOKEN } = this.env;
    if (!LIFECYCLE_TOKEN || request.headers.get("authorization") !== `Bearer ${LIFECYCLE_TOKEN}`)
      return new Response(null, { status: 403 });
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === "POST" && pathname === "/sweep") {
      await sweepRegularly(this.env);
      return new Response(null, { status: 204 });
    }
    if (request.method === "POST" && pathname === "/recover") return this.#recover(searchParams);
    if (request.method === "DELETE") closeRuns();
    return Response.json(underWay());
  }

  async #recover(object: URLSearchParams): Promise<Response> {
    const { SOURCES, WEBHOOKS, WORKFLOWS } = this.env;
    const name = object.get("name") ?? "";
    const recoveries: Record<string, () => Promise<void>> = {
      SOURCES: () => SOURCES.getByName(name).recover(),
      WEBHOOKS: () => WEBHOOKS.getByName(name).recover(),
      WORKFLOWS: () => WORKFLOWS.getByName(name).recover(),
    };
    const recover = recoveries[object.get("binding") ?? ""];
    await recover?.();
    return new Response(null, { status: recover ? 204 : 400 });
  }
}
