import type { Context } from "hono";

import type { AppEnv } from "./env.ts";

/**
 * Users type API keys into these pages, and open pages of components on the same origin: no script here can send data
 * elsewhere. Themes set styles by attributes.
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

/** Builds name these files after their content. */
const HASHED = /^\/(?:docs|console)\/assets\//;

const IMMUTABLE = "public, max-age=31536000, immutable";

/** The response with a static asset; undefined if there is none. `path`: its path, if it differs from the request's. */
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
