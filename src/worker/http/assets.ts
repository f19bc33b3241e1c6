import type { Context } from "hono";

import type { AppEnv } from "./env.ts";

/**
 * People type API keys into these pages, and look at pages of components on one origin with them: any script here can
 * send nothing anywhere else. Themes set styles by attributes.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The headers of every page of the platform. */
export const PAGE_HEADERS = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

/** Builds name these files after their contents. */
const HASHED = /^\/(?:docs|console)\/assets\//;

const IMMUTABLE = "public, max-age=31536000, immutable";

/** The response with a static asset; undefined where there is none. `path` is its path where the request has another. */
export async function assetResponse(
  c: Context<AppEnv>,
  path?: string,
): Promise<Response | undefined> {
  const url = new URL(c.req.url);
  if (path !== undefined) url.pathname = path;
  const file = await c.env.ASSETS.fetch(new Request(url, c.req.raw));
  if (file.status === 404) {
    await file.body?.cancel();
    return undefined;
  }
  // Responses of bindings are immutable, and middleware adds headers.
  const response = new Response(file.body, file);
  for (const [name, value] of Object.entries(PAGE_HEADERS)) response.headers.set(name, value);
  if (HASHED.test(url.pathname) && file.ok) response.headers.set("cache-control", IMMUTABLE);
  return response;
}
