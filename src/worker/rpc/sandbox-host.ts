import { WorkerEntrypoint } from "cloudflare:workers";

import type { EgressReport } from "#domain/billing.ts";
import { fileIn } from "#sandbox/code-maintenance.ts";
import { routes } from "#sandbox/processes/routes.ts";
import { egressUsage } from "#telemetry/metrics.ts";

/**
 * The platform's methods for sandbox processes and their supervisor. Only those have access: it listens at an address
 * of its own, and the supervisor must send a token.
 */
export class SandboxHost extends WorkerEntrypoint<Env> {
  /** The supervisor sets which of its two processes serves a place: `PUT /{place}/{side}`. */
  override async fetch(request: Request): Promise<Response> {
    const token = this.env.SANDBOX_TOKEN;
    if (!token || request.headers.get("authorization") !== `Bearer ${token}`)
      return new Response(null, { status: 403 });
    const [place, side] = new URL(request.url).pathname.slice(1).split("/").map(Number);
    if (request.method === "PUT" && place !== undefined) routes.set(place, side === 1 ? 1 : 0);
    return new Response(null, { status: 204 });
  }

  /** A file of the code store; 404 if it does not exist. */
  async readCode(name: string): Promise<Response> {
    const file = await fileIn(this.env.CODE, name);
    return file ? new Response(file.body) : new Response(null, { status: 404 });
  }

  /** A request of a component to the platform itself. */
  serve(request: Request): Promise<Response> {
    return this.ctx.exports.default.fetch(request);
  }

  /** Requests of components: aggregated for owners, and one by one for the metrics. */
  async reportEgress(sums: EgressReport[], points: AnalyticsEngineDataPoint[]): Promise<void> {
    const usage = egressUsage(this.env);
    for (const point of points) usage?.writeDataPoint(point);
    await this.ctx.exports.Metering.reportEgress(sums);
  }
}
