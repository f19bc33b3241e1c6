import { createRoute, z } from "@hono/zod-openapi";

import { CONNECT_TOKEN_SECONDS } from "#domain/connect.ts";
import { createConnectToken } from "#services/connect/tokens.ts";

import { createRouter, idOf, orNull, params, WebUrl } from "../openapi.ts";
import { isoTime, itself } from "./responses.ts";

const create = createRoute({
  operationId: "createConnectToken",
  method: "post",
  path: "/{project}/tokens",
  request: {
    params: z.object({ project: z.string() }),
    body: params(
      z.object({
        external_user_id: z.string().min(1).max(250),
        app_id: orNull(z.string().max(200)),
        oauth_app_id: orNull(idOf("oauth_app", "oa_5d0")),
        allowed_origins: orNull(z.array(WebUrl).max(50)),
        success_redirect_uri: orNull(WebUrl),
        error_redirect_uri: orNull(WebUrl),
        webhook_uri: orNull(WebUrl),
        scope: orNull(z.string().max(2000)),
        expires_in: orNull(z.int().min(1).max(CONNECT_TOKEN_SECONDS)),
        allow_progressive_scopes: orNull(z.boolean()),
      }),
    ),
  },
  responses: itself(
    z.object({ token: z.string(), connect_link_url: z.string(), expires_at: z.string() }),
  ),
});

export const tokens = createRouter().openapi(create, async (c) => {
  const input = c.req.valid("json");
  const issued = await createConnectToken(c.var.project, {
    externalId: input.external_user_id,
    app: input.app_id,
    oauthAppId: input.oauth_app_id,
    allowedOrigins: (input.allowed_origins ?? []).map((url) => new URL(url).origin),
    successRedirectUri: input.success_redirect_uri,
    errorRedirectUri: input.error_redirect_uri,
    webhookUri: input.webhook_uri,
    scope: input.scope,
    allowProgressiveScopes: input.allow_progressive_scopes,
    expiresIn: input.expires_in ?? CONNECT_TOKEN_SECONDS,
  });
  const { token, url, expiresAt } = issued;
  return c.json({ token, connect_link_url: url, expires_at: isoTime(expiresAt) }, 200);
});
