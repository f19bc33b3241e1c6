import type { z } from "@hono/zod-openapi";

import { failures } from "../openapi.ts";

/** The responses of an operation that returns a resource without `data` around it. */
export function itself<S extends z.ZodType>(resource: S, more: object = {}) {
  return {
    200: { description: "The resource", content: { "application/json": { schema: resource } } },
    ...failures(),
    ...more,
  } as const;
}

/** A time in the format of the Connect API: ISO 8601. `seconds`: epoch seconds. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
