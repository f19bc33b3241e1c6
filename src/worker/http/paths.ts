import type { OpenAPIHono } from "@hono/zod-openapi";
import type { HonoRequest, NotFoundHandler } from "hono";
import { getPath } from "hono/utils/url";

import { RequestError } from "#domain/errors.ts";

import type { AppEnv } from "./env.ts";
import { handleError } from "./errors.ts";

/**
 * The path that a request is routed by: with and without a slash at its end are the same, `/orgs/…` is the same as
 * `/workspaces/…`, and the `$` of `$errors` and `$logs` may be escaped (docs/contract.md: Paths).
 */
export function routingPath(request: Request): string {
  const path = getPath(request)
    .replaceAll("%24", "$")
    .replace(/^\/v1\/orgs\//, "/v1/workspaces/")
    .replace(/^(\/(?:sources|workflows)\/[^/]+\/sse\/?)$/, "/v1$1");
  return path.length > 1 ? path.replace(/\/+$/, "") || "/" : path;
}

/** Refuse a request that no route takes: 405 where another method would do, else 404. */
export function refuseUnrouted(app: OpenAPIHono<AppEnv>): NotFoundHandler<AppEnv> {
  let table: Route[] | undefined;
  return (c) => {
    table ??= routesOf(app);
    const routes = table.filter(({ path }) => path.test(c.req.path));
    // Whatever can be read can be asked for its headers alone.
    const methods = [
      ...new Set(routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))),
    ];
    if (methods.length > 0) c.header("Allow", methods.join(", "));
    return handleError(refusalOf(c.req, methods), c);
  };
}

function refusalOf({ method, path }: HonoRequest, methods: readonly string[]): RequestError {
  if (methods.length === 0) return new RequestError("not_found", `There is no ${method} ${path}`);
  return new RequestError(
    "method_not_allowed",
    `${path} takes ${methods.join(", ")}, not ${method}`,
  );
}

type Route = { method: string; path: RegExp };

function routesOf({ routes }: OpenAPIHono<AppEnv>): Route[] {
  return routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => ({ method, path: patternOf(path) }));
}

function patternOf(path: string): RegExp {
  const segments = path
    .split("/")
    .map((segment) => (segment.startsWith(":") ? "[^/]+" : segment.replaceAll(/[$.]/g, "\\$&")));
  return new RegExp(`^${segments.join("/")}$`);
}
