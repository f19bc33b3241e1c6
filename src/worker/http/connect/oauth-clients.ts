import { createRoute, z } from "@hono/zod-openapi";

import {
  createOauthClient,
  listOauthClients,
  type OauthClient,
  revokeOauthClient,
} from "#services/connect/oauth-clients.ts";

import {
  createRouter,
  idOf,
  many,
  none,
  one,
  Ownership,
  PageQuery,
  params,
  workspaceIn,
} from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";

const ClientBody = z
  .object({
    client_id: z.string(),
    name: z.string(),
    project_id: z.string().nullable(),
    created_at: z.int(),
  })
  .openapi("OauthClient");

const NewClientBody = ClientBody.extend({
  client_secret: z.string(),
}).openapi("NewOauthClient");

const create = createRoute({
  operationId: "createOauthClient",
  method: "post",
  path: "/oauth_clients",
  request: {
    body: params(
      z.strictObject({
        name: z.string().trim().min(1).max(200),
        project_id: idOf("project", "proj_5d0").nullish(),
        ...Ownership,
      }),
    ),
  },
  responses: one(NewClientBody),
});

const list = createRoute({
  operationId: "listOauthClients",
  method: "get",
  path: "/oauth_clients",
  request: { query: PageQuery },
  responses: many(ClientBody),
});

const revoke = createRoute({
  operationId: "revokeOauthClient",
  method: "delete",
  path: "/oauth_clients/{id}",
  request: { params: z.object({ id: idOf("oauth_client", "oac_5d0") }) },
  responses: none,
});

export const oauthClients = createRouter()
  .openapi(create, async (c) => {
    const input = c.req.valid("json");
    const client = await createOauthClient(c.var.connect, {
      name: input.name,
      projectId: input.project_id ?? undefined,
      workspace: workspaceIn(input),
    });
    return c.json({ data: { ...present(client), client_secret: client.secret } }, 200);
  })
  .openapi(list, async (c) => {
    const page = await listOauthClients(c.var.connect, await openPage(c, c.req.valid("query")));
    return c.json(await pageBody(c, page, present), 200);
  })
  .openapi(revoke, async (c) => {
    await revokeOauthClient(c.var.connect, c.req.valid("param").id);
    return c.body(null, 204);
  });

function present({ id, name, projectId, createdAt }: OauthClient): z.input<typeof ClientBody> {
  return { client_id: id, name, project_id: projectId, created_at: createdAt };
}
