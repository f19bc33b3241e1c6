import { createRoute, z } from "@hono/zod-openapi";
import type { Context, HonoRequest } from "hono";

import { arrivalMs, readInTime } from "#domain/body.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import { targetIn } from "#domain/proxy.ts";
import { timed } from "#http/timed-body.ts";
import { type ProxiedRequest, proxyRequest } from "#services/connect/proxy.ts";

import { causeOf } from "../cause.ts";
import type { AppEnv } from "../env.ts";
import { createRouter, failures } from "../openapi.ts";

/** Bodies up to this size are buffered until the response, so that they can be sent again. */
const MAX_KEPT_BYTES = 5 * 1024 * 1024;

const MAX_BODY_BYTES = 100 * 1024 * 1024;

const VERBS = ["get", "post", "put", "patch", "delete"] as const;

const Query = z.object({
  external_user_id: z.string().optional(),
  account_id: z.string().max(100),
});

const routeOf = (method: (typeof VERBS)[number]) =>
  createRoute({
    operationId: `proxy${method.slice(0, 1).toUpperCase()}${method.slice(1)}`,
    method,
    path: "/{project}/proxy/{url}",
    description:
      "Send a request with an account's credentials. Headers that begin with x-pd-proxy- are forwarded without the prefix; the body is forwarded unchanged.",
    request: {
      params: z.object({
        project: z.string(),
        url: z.string(),
      }),
      query: Query,
    },
    responses: {
      default: {
        description: "The response of the target",
        content: { "*/*": { schema: z.any() } },
      },
      ...failures(),
    },
  });

export const proxy = createRouter();
for (const verb of VERBS) proxy.openapi(routeOf(verb), (c) => send(c, c.req.valid("query")));

async function send(
  c: Context<AppEnv, "/:project/proxy/:url">,
  { external_user_id, account_id }: z.output<typeof Query>,
): Promise<Response> {
  const target = targetIn(c.req.param("url"));
  if (target === undefined)
    throw invalidInput([{ path: "url", message: "must be a URL in base64" }]);
  return proxyRequest(c.var.project, {
    externalId: external_user_id,
    accountId: account_id,
    target,
    method: c.req.method,
    headers: c.req.raw.headers,
    ...(await bodyOf(c.req)),
    cause: causeOf(c.req),
  });
}

async function bodyOf({
  raw,
  method,
}: HonoRequest): Promise<Pick<ProxiedRequest, "body" | "arrival">> {
  if (!raw.body || method === "GET" || method === "HEAD") return { body: null };
  const declared = Number(raw.headers.get("content-length"));
  if (declared > MAX_BODY_BYTES)
    throw new RequestError("too_large", "The body may have at most 100 MB");
  if (declared > MAX_KEPT_BYTES)
    return timed(raw.body, { length: declared, ms: arrivalMs(declared) });
  const bytes = await readInTime(raw, MAX_KEPT_BYTES);
  if (bytes === "late")
    throw new RequestError("request_timeout", "The body must arrive within 30 seconds");
  if (!bytes)
    throw new RequestError("too_large", "A body of more than 5 MB must declare its Content-Length");
  return { body: bytes };
}
