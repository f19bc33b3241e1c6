import { createRoute, z } from "@hono/zod-openapi";

import { createSignInLink } from "#services/sign-in/links.ts";

import { AccountChange, App } from "../account-body.ts";
import {
  createRouter,
  idOf,
  one,
  orNull,
  Ownership,
  params,
  WebUrl,
  workspaceIn,
} from "../openapi.ts";

const create = createRoute({
  operationId: "createSignInLink",
  method: "post",
  path: "/accounts/authorize",
  description:
    "Create a link to a page that connects one account by signing in at the provider of an app",
  request: {
    body: params(
      z.object({
        app: App,
        name: AccountChange.name,
        account_id: idOf("account", "apn_5d0").nullish(),
        redirect_uri: orNull(WebUrl),
        ...Ownership,
      }),
    ),
  },
  responses: one(
    z.object({
      url: z.string(),
      expires_at: z.int(),
    }),
  ),
});

export const signInLinks = createRouter().openapi(create, async (c) => {
  const { app, name, account_id, redirect_uri, ...more } = c.req.valid("json");
  const { url, expiresAt } = await createSignInLink(c.var.context, {
    app,
    name,
    accountId: account_id ?? undefined,
    redirectUri: redirect_uri,
    workspace: workspaceIn(more),
  });
  return c.json({ data: { url, expires_at: expiresAt } }, 200);
});
