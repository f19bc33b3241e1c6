import { createRoute, z } from "@hono/zod-openapi";

import {
  deleteOauthApp,
  dropOverrides,
  getOauthApp,
  listOauthApps,
  type OauthApp,
  putOauthApp,
} from "#services/oauth-apps.ts";

import { App } from "../account-body.ts";
import { all, createRouter, none, one, params, urlWithHost } from "../openapi.ts";

/** The fields that may be stored with a client, and then replace those of its app. */
export const Overrides = z.array(z.enum(["token_url", "client_authentication"]));

const OauthAppBody = z
  .object({
    app: z.string(),
    token_url: z.string(),
    client_id: z.string(),
    client_authentication: z.enum(["body", "basic"]),
    overrides: Overrides,
    created_at: z.int(),
    updated_at: z.int(),
  })
  .openapi("OauthApp");

const TokenUrl = urlWithHost("must be a URL with protocol http or https and a hostname");

const AppParam = z.object({ app: z.string() });

const put = createRoute({
  operationId: "putOauthApp",
  method: "post",
  path: "/oauth_apps",
  request: {
    body: params(
      z.object({
        app: App,
        token_url: TokenUrl.nullish(),
        client_id: z.string().min(1).max(4096),
        client_secret: z.string().min(1).max(4096),
        client_authentication: z.enum(["body", "basic"]).nullish(),
      }),
    ),
  },
  responses: one(OauthAppBody),
});

const list = createRoute({
  operationId: "listOauthApps",
  method: "get",
  path: "/oauth_apps",
  responses: all(OauthAppBody),
});

const read = createRoute({
  operationId: "getOauthApp",
  method: "get",
  path: "/oauth_apps/{app}",
  request: { params: AppParam },
  responses: one(OauthAppBody),
});

const drop = createRoute({
  operationId: "dropOauthAppOverrides",
  method: "delete",
  path: "/oauth_apps/{app}/overrides",
  request: { params: AppParam },
  responses: one(OauthAppBody),
});

const remove = createRoute({
  operationId: "deleteOauthApp",
  method: "delete",
  path: "/oauth_apps/{app}",
  request: { params: AppParam },
  responses: none,
});

export const oauthApps = createRouter()
  .openapi(put, async (c) => {
    const given = c.req.valid("json");
    const settings = await putOauthApp(c.var.platform, {
      app: given.app,
      tokenUrl: given.token_url ?? undefined,
      clientId: given.client_id,
      clientSecret: given.client_secret,
      authentication: given.client_authentication ?? undefined,
    });
    return c.json({ data: present(settings) }, 200);
  })
  .openapi(list, async (c) => {
    const found = await listOauthApps(c.var.platform);
    return c.json({ data: found.map((settings) => present(settings)) }, 200);
  })
  .openapi(read, async (c) => {
    const settings = await getOauthApp(c.var.platform, c.req.valid("param").app);
    return c.json({ data: present(settings) }, 200);
  })
  .openapi(drop, async (c) => {
    const settings = await dropOverrides(c.var.platform, c.req.valid("param").app);
    return c.json({ data: present(settings) }, 200);
  })
  .openapi(remove, async (c) => {
    await deleteOauthApp(c.var.platform, c.req.valid("param").app);
    return c.body(null, 204);
  });

function present(settings: OauthApp): z.input<typeof OauthAppBody> {
  return {
    app: settings.app,
    token_url: settings.tokenUrl,
    client_id: settings.clientId,
    client_authentication: settings.authentication,
    overrides: overridesOf(settings),
    created_at: settings.createdAt,
    updated_at: settings.updatedAt,
  };
}

export function overridesOf({
  followsApp,
}: Pick<OauthApp, "followsApp">): z.output<typeof Overrides> {
  return followsApp ? [] : ["token_url", "client_authentication"];
}
