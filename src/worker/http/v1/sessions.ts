import { createRoute, z } from "@hono/zod-openapi";

import { deleteSession, listSessions, type Session } from "#services/sessions/sessions.ts";

import { createRouter, idOf, many, none, pageBody, PageQuery } from "../openapi.ts";

const SessionBody = z
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

const list = createRoute({
  operationId: "listSessions",
  method: "get",
  path: "/sessions",
  request: { query: PageQuery },
  responses: many(SessionBody),
});

const remove = createRoute({
  operationId: "deleteSession",
  method: "delete",
  path: "/sessions/{id}",
  request: { params: z.object({ id: idOf("session", "ses_5d0") }) },
  responses: none,
});

export const sessions = createRouter()
  .openapi(list, async (c) => {
    const { keyHash } = c.var.context;
    const page = await listSessions(c.var.context, c.req.valid("query"));
    return c.json(
      pageBody(page, (session) => present(session, keyHash)),
      200,
    );
  })
  .openapi(remove, async (c) => {
    await deleteSession(c.var.context, c.req.valid("param").id);
    return c.body(null, 204);
  });

/** `current`: the hash of the caller's own session. */
function present(session: Session, current: string): z.input<typeof SessionBody> {
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
