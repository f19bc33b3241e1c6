import { createMiddleware } from "hono/factory";

import type { AppEnv } from "./env.ts";

/** Have no cache keep what is returned to one caller, failures included. */
export const keepPrivate = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  c.res.headers.set("cache-control", "no-store");
});
