import { createRoute, z } from "@hono/zod-openapi";

import { deleteSession, listSessions } from "#services/sessions/sessions.ts";

import { createRouter, idOf, many, none, PageQuery } from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { presentSession, SessionBody } from "../session-body.ts";

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
    const page = await listSessions(c.var.context, await openPage(c, c.req.valid("query")));
    return c.json(await pageBody(c, page, (session) => presentSession(session, keyHash)), 200);
  })
  .openapi(remove, async (c) => {
    await deleteSession(c.var.context, c.req.valid("param").id);
    return c.body(null, 204);
  });
