import { createMiddleware } from "hono/factory";

import type { AppEnv } from "./env.ts";

/** Forbid caches to store responses, failures included. */
export const keepPrivate = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  c.res.headers.set("cache-control", "no-store");
});
