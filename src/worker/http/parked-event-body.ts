import { z } from "@hono/zod-openapi";

import type { ParkedEvent } from "#services/overview/parked-events.ts";

/** A parked event as the API shows it. Its content is in its source's `$errors`, for callers with access to it. */
export const ParkedEventBody = z
  .object({
    id: z.string(),
    source_id: z.string(),
    source_name: z.string(),
    owner_id: z.string(),
    at_ms: z.int(),
    code: z.string(),
    message: z.string(),
  })
  .openapi("ParkedEvent");

/** A parked event as the API shows it. */
export function presentParkedEvent(found: ParkedEvent): z.input<typeof ParkedEventBody> {
  const { id, source, atMs, code, message } = found;
  return {
    id,
    source_id: source.id,
    source_name: source.name,
    owner_id: source.ownerId,
    at_ms: atMs,
    code,
    message,
  };
}
