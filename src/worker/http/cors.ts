import { cors } from "hono/cors";

/** Allow pages of any origin to use the API: they authenticate by a key in a header, never by a cookie. */
export const allowBrowsers = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
  exposeHeaders: [
    "X-Request-Id",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "Retry-After",
    "Allow",
    "Server-Timing",
  ],
  maxAge: 24 * 3600,
});
