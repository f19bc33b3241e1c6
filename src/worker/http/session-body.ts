import { z } from "@hono/zod-openapi";

import type { Session } from "#services/sessions/sessions.ts";

/** A session at the console as the API shows it. */
export const SessionBody = z
  .object({
    id: z.string(),
    created_at: z.int(),
    last_seen_at: z.int(),
    expires_at: z.int(),
    user_agent: z.string().nullable(),
    is_current: z.boolean(),
    is_operator: z.boolean(),
  })
  .openapi("Session");

/** A session as the API shows it. `current`: the hash of the caller's own session, if any. */
export function presentSession(session: Session, current?: string): z.input<typeof SessionBody> {
  return {
    id: session.id,
    created_at: session.createdAt,
    last_seen_at: session.lastSeenAt,
    expires_at: session.expiresAt,
    user_agent: session.userAgent,
    is_current: session.hash === current,
    is_operator: session.operatorHash !== null,
  };
}
