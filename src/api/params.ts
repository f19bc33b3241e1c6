import type { HonoRequest } from "hono";
import { createMiddleware } from "hono/factory";

import { RequestError } from "../domain/errors.ts";
import type { AppEnv } from "./env.ts";
import { fieldsOf } from "./fields.ts";

/** No request body may be larger (design: Sizes). */
const LARGEST_BODY_BYTES = 5 * 1024 * 1024;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/**
 * Bring the parameters of a request into one place. POST and PUT take them from the query string and from a JSON
 * body, which wins: behind this, such a request has one JSON body with all of them. The rest have the query string.
 */
export const readParams = createMiddleware<AppEnv>(async (c, next) => {
  const query = c.req.query();
  if (c.req.method !== "POST" && c.req.method !== "PUT") {
    c.set("fields", fieldsOf(query));
    return next();
  }
  const params = { ...query, ...(await jsonBody(c.req)) };
  c.set("fields", fieldsOf(params));
  c.req.raw = new Request(c.req.raw.url, {
    method: c.req.method,
    headers: { ...c.req.header(), "content-type": "application/json" },
    body: JSON.stringify(params),
  });
  return next();
});

async function jsonBody({ raw }: HonoRequest): Promise<Record<string, unknown>> {
  const bytes = await limitedBody(raw);
  if (bytes.length === 0) return {};
  if (!JSON_TYPE.test(raw.headers.get("content-type") ?? ""))
    throw new RequestError(
      "unsupported_media_type",
      "Content-Type must be application/json where there is a body",
    );
  const body = parsed(bytes);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new RequestError("invalid_input", "The body must be a JSON object");
  return { ...body };
}

/** Read a body to its end, but never more of it than is allowed, whatever its length claims to be. */
async function limitedBody({ body, headers }: Request): Promise<Uint8Array> {
  if (Number(headers.get("content-length")) > LARGEST_BODY_BYTES) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    if (length > LARGEST_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return joined(chunks, length);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    throw new RequestError("invalid_input", "The body is not valid JSON");
  }
}

function tooLarge(): RequestError {
  return new RequestError("too_large", "The body may have at most 5 MB");
}
