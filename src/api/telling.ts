import type { Context } from "hono";
import { routePath } from "hono/route";

import { log } from "../telemetry/log.ts";
import type { AppEnv } from "./env.ts";

/** Say in the log that a request was answered. Whether all is well is asked too often to be told each time. */
export function tellOf(c: Context<AppEnv>, durationMs: number): void {
  const route = routeOf(c);
  if (route === "/health") return;
  log("request", {
    ...whoseRequest(c),
    method: c.req.method,
    route,
    status: c.res.status,
    duration_ms: durationMs,
  });
}

/** What any line about a request says of it. */
export function whoseRequest(c: Context<AppEnv>) {
  const context: AppEnv["Variables"]["context"] | undefined = c.var.context;
  return { request_id: c.var.requestId, owner_id: context?.workspace ?? context?.actor.id };
}

/** The path as the contract has it, with the names of ids in place of ids: there are only so many of them. */
export function routeOf(c: Context<AppEnv>): string {
  return routePath(c, -1);
}
