import { createRoute } from "@hono/zod-openapi";

import { deleteUserSession, listUserSessions } from "#services/sessions/sessions.ts";

import { createRouter, idOf, many, none, PageQuery } from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { UserId } from "../resource-ids.ts";
import { presentSession, SessionBody } from "../session-body.ts";

const list = createRoute({
  operationId: "listUserSessions",
  method: "get",
  path: "/users/{id}/sessions",
  request: { params: UserId, query: PageQuery },
  responses: many(SessionBody),
});

const remove = createRoute({
  operationId: "deleteUserSession",
  method: "delete",
  path: "/users/{id}/sessions/{session_id}",
  request: { params: UserId.extend({ session_id: idOf("session", "ses_5d0") }) },
  responses: none,
});

export const userSessions = createRouter()
  .openapi(list, async (c) => {
    const { id } = c.req.valid("param");
    const page = await listUserSessions(
      c.var.platform,
      id,
      await openPage(c, c.req.valid("query")),
    );
    return c.json(await pageBody(c, page, (session) => presentSession(session)), 200);
  })
  .openapi(remove, async (c) => {
    const { id, session_id: session } = c.req.valid("param");
    await deleteUserSession(c.var.platform, id, session);
    return c.body(null, 204);
  });
