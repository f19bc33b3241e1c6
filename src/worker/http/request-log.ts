import type { Context } from "hono";
import { routePath } from "hono/route";

import { log } from "#telemetry/log.ts";
import { measure } from "#telemetry/metrics.ts";
import { classOf, methodOf } from "#telemetry/words.ts";

import type { AppEnv } from "./env.ts";

/** Log a request. Health checks are too frequent to be logged. */
export function logRequest(c: Context<AppEnv>, durationMs: number): void {
  const route = routeOf(c);
  if (route === "/health") return;
  const method = methodOf(c.req.method);
  const { status } = c.res;
  const whose = whoseRequest(c);
  log("request", { ...whose, method, route, status, duration_ms: durationMs });
  measure({
    kind: "request",
    owner_id: whose.owner_id,
    route,
    outcome: classOf(status),
    method,
    duration_ms: durationMs,
    status,
    d1_round_trips: c.var.platform.roundTrips(),
  });
}

/** The fields of each log line about a request. */
export function whoseRequest(c: Context<AppEnv>) {
  const context: AppEnv["Variables"]["context"] | undefined = c.var.context;
  return { request_id: c.var.requestId, owner_id: context?.workspace ?? context?.actor.id };
}

/** The path pattern of the contract, with the names of ids in place of ids: their number is bounded. */
export function routeOf(c: Context<AppEnv>): string {
  return routePath(c, -1);
}
