import type { HonoRequest } from "hono";
import { createMiddleware } from "hono/factory";

import { bodyText } from "#domain/body-text.ts";
import { readInTime } from "#domain/body.ts";
import { decompress } from "#domain/content-encoding.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import { isTooDeep, MAX_JSON_LEVELS } from "#domain/json-depth.ts";

import type { AppEnv } from "./env.ts";
import { fieldsOf } from "./fields.ts";

/** Maximum size of a request body (docs/contract.md: Sizes). */
const MAX_BODY_BYTES = 5 * 1024 * 1024;

/** The methods with parameters in a body. */
const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/**
 * Merge the parameters of a request. POST, PUT and PATCH accept them in the query string and in a JSON body, which
 * takes precedence: after this, such a request has one JSON body with all of them. Other methods have the query string.
 */
export const readParams = createMiddleware<AppEnv>(async (c, next) => {
  const query = c.req.query();
  if (!WITH_BODY.has(c.req.method)) {
    requireOneWorkspace(query);
    c.set("fields", fieldsOf(query));
    return next();
  }
  const body = await jsonBody(c.req);
  c.set("bodyFields", Object.keys(body));
  const path = body["workspace_id"] ? "workspace_id" : "org_id";
  if (body[path]) c.set("bodyWorkspace", { path, named: body[path] });
  const params = { ...query, ...body };
  requireOneWorkspace(params);
  c.set("fields", fieldsOf(params));
  c.req.raw = new Request(c.req.raw.url, {
    method: c.req.method,
    headers: { ...c.req.header(), "content-type": "application/json" },
    body: JSON.stringify(params),
  });
  return next();
});

/** `workspace_id` and `org_id` are the same parameter, so neither of two different values may win silently. */
function requireOneWorkspace({ workspace_id, org_id }: Record<string, unknown>): void {
  if (!workspace_id || !org_id || workspace_id === org_id) return;
  const message = "must be the same as workspace_id, if both are there";
  throw invalidInput([{ path: "org_id", message }]);
}

async function jsonBody({ raw }: HonoRequest): Promise<Record<string, unknown>> {
  const bytes = await bytesOf(raw);
  if (bytes.length === 0) return {};
  if (!JSON_TYPE.test(raw.headers.get("content-type") ?? ""))
    throw new RequestError(
      "unsupported_media_type",
      "Content-Type must be application/json if there is a body",
    );
  const body = parseJsonBody(bytes, raw.headers.get("content-type") ?? "");
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new RequestError("invalid_input", "The body must be a JSON object");
  return { ...body };
}

async function bytesOf(request: Request): Promise<Uint8Array> {
  const bytes = await readInTime(request, MAX_BODY_BYTES);
  if (bytes === "late")
    throw new RequestError("request_timeout", "The body must arrive within 30 seconds");
  const coding = request.headers.get("content-encoding");
  const content = bytes && coding !== null ? decompress(bytes, coding, MAX_BODY_BYTES) : bytes;
  if (!bytes || content === "too_large")
    throw new RequestError("too_large", "The body may have at most 5 MB");
  if (content) return content;
  throw new RequestError(
    "unsupported_media_type",
    "Content-Encoding must be the body's own: gzip, deflate or br",
  );
}

/**
 * Parse the bytes of a JSON body, in UTF-8 or the charset of its type. Refuses invalid JSON, and nesting so deep that no
 * response could repeat it.
 */
export function parseJsonBody(bytes: Uint8Array, type = "application/json"): unknown {
  const text = bodyText(bytes, type);
  if (text !== undefined && isTooDeep(text))
    throw new RequestError(
      "invalid_input",
      `The body may be nested at most ${MAX_JSON_LEVELS} levels deep`,
    );
  try {
    return JSON.parse(text ?? "");
  } catch {
    throw new RequestError("invalid_input", "The body is not valid JSON");
  }
}
