import type { OpenAPIHono } from "@hono/zod-openapi";
import type { HonoRequest, NotFoundHandler } from "hono";
import { getPath } from "hono/utils/url";

import { RequestError } from "#domain/errors.ts";

import { PROJECT_OF_TOKEN } from "./connect/authenticate.ts";
import type { AppEnv } from "./env.ts";
import { handleError } from "./errors.ts";

/**
 * The path for routing a request: a trailing slash is ignored, `/orgs/…` is the same as `/workspaces/…`, `/apps` as
 * Connect's, which clients before Connect's own paths use, and the `$` of
 * `$errors`, `$logs` and `$alerts` may be escaped (docs/contract.md: Paths).
 */
export function routingPath(request: Request): string {
  const path = projectNamed(getPath(request), request)
    .replaceAll("%24", "$")
    .replace(/^\/v1\/orgs\//, "/v1/workspaces/")
    .replace(/^\/v1\/apps(?=\/|$)/, "/v1/connect/apps")
    .replace(/^(\/(?:sources|workflows)\/[^/]+\/sse\/?)$/, "/v1$1");
  return path.length > 1 ? path.replace(/\/+$/, "") || "/" : path;
}

/**
 * The path with the project of the connect token if it names none: the browser's part of the SDK sends an empty id, and
 * may omit its slash.
 */
function projectNamed(path: string, { headers }: Request): string {
  if (
    !path.startsWith("/v1/connect/") ||
    !/^Bearer +ctok_/i.test(headers.get("authorization") ?? "")
  )
    return path;
  return path.replace(
    /^\/v1\/connect\/+(?=(?:accounts|actions|apps\/[^/]+\/accounts|components|deployed-triggers|file_stash|projects\/info|proxy|triggers|users)(?:\/|$))/,
    `/v1/connect/${PROJECT_OF_TOKEN}/`,
  );
}

/** Refuse a request without a route: 405 if another method has one, else 404. */
export function refuseUnrouted(app: OpenAPIHono<AppEnv>): NotFoundHandler<AppEnv> {
  let table: Route[] | undefined;
  return (c) => {
    table ??= routesOf(app);
    const routes = table.filter(({ path }) => path.test(c.req.path));
    // Each GET route serves HEAD, too.
    const methods = [
      ...new Set(routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))),
    ];
    if (methods.length > 0) c.header("Allow", methods.join(", "));
    const own = c.req.path.replace(/^\/v1\//, "/v1/users/me/");
    const isListed = table.some(({ method, path }) => method === c.req.method && path.test(own));
    const hint = isListed ? `; there is ${c.req.method} ${own}` : "";
    return handleError(refusalOf(c.req, methods, hint), c);
  };
}

function refusalOf(
  { method, path }: HonoRequest,
  methods: readonly string[],
  hint: string,
): RequestError {
  if (methods.length === 0)
    return new RequestError("not_found", `There is no ${method} ${path}${hint}`);
  return new RequestError(
    "method_not_allowed",
    `${path} takes ${methods.join(", ")}, not ${method}${hint}`,
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
