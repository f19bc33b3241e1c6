import { createMiddleware } from "hono/factory";

import { RequestError } from "#domain/errors.ts";

import type { AppEnv } from "./env.ts";

/** Cloudflare's limit: a longer URL never reaches a deployed Worker. */
const MAX_URL = 16 * 1024;

const MAX_HEADERS = 32 * 1024;

/** Refuse requests with a URL or headers beyond these limits. */
export const limitSizes = createMiddleware<AppEnv>(async (c, next) => {
  if (c.req.raw.url.length > MAX_URL)
    throw new RequestError(
      "uri_too_long",
      "The URL may have at most 16 KB; parameters may be in the body instead",
    );
  let length = 0;
  for (const [name, value] of c.req.raw.headers) length += name.length + value.length;
  if (length > MAX_HEADERS)
    throw new RequestError("headers_too_large", "The headers may have at most 32 KB together");
  await next();
});
