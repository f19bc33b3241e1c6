import { z } from "@hono/zod-openapi";
import type { ErrorHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

import { endOfDay } from "#domain/billing.ts";
import { type ErrorCode, RequestError } from "#domain/errors.ts";
import { log } from "#telemetry/log.ts";
import { isDiskFull } from "#worker/disk.ts";

import type { AppEnv } from "./env.ts";
import { routeOf, whoseRequest } from "./request-log.ts";

const STATUS = {
  invalid_input: 400,
  unauthorized: 401,
  forbidden: 403,
  csrf: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  invalid_component: 422,
  invalid_configuration: 422,
  hook_failed: 422,
  overloaded: 429,
  quota_exceeded: 429,
  rate_limited: 429,
  headers_too_large: 431,
  upstream_failed: 502,
  upstream_timeout: 504,
  insufficient_storage: 507,
  loop_detected: 508,
} as const satisfies Record<ErrorCode, ContentfulStatusCode>;

const FieldIssue = z.object({ path: z.string(), message: z.string() });
const CodeIssue = z.object({
  file: z.string(),
  line: z.int(),
  column: z.int(),
  text: z.string(),
});

/** The body of every failure. */
export const ErrorBody = z
  .object({
    error: z.string(),
    code: z.string(),
    details: z
      .looseObject({
        issues: z.array(z.union([FieldIssue, CodeIssue])).optional(),
      })
      .optional(),
  })
  .openapi("Error");

/** Seconds to wait before retrying a refused trigger. */
function waitOf(code: ErrorCode): number | undefined {
  const at = Date.now() / 1000;
  if (code === "quota_exceeded") return Math.ceil(endOfDay(at) - at);
  return code === "overloaded" ? 1 : undefined;
}

export const handleError: ErrorHandler<AppEnv> = async (error, c) => {
  if (error instanceof RequestError) {
    const { message, code, details } = error;
    const wait = waitOf(code);
    if (wait !== undefined) c.header("Retry-After", String(wait));
    return c.json({ error: message, code, ...(details && { details }) }, STATUS[code]);
  }
  const request_id = c.var.requestId;
  log("request_failed", { ...whoseRequest(c), route: routeOf(c), error });
  if (await isDiskFull(error, c.env)) {
    c.header("Retry-After", "30");
    const full = "The disk of the platform is full";
    return c.json({ error: full, code: "insufficient_storage", details: { request_id } }, 507);
  }
  return c.json(
    { error: "Something went wrong on our side", code: "internal", details: { request_id } },
    500,
  );
};
