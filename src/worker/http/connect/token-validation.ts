import { createRoute, z } from "@hono/zod-openapi";

import { sha256Hex } from "#domain/hash.ts";
import { EXPIRED, productOf } from "#services/connect/link.ts";
import { validateToken, type Validation } from "#services/connect/validate.ts";

import { AppBody, presentApp } from "../app-body.ts";
import { createRouter } from "../openapi.ts";
import { withinRate } from "../rate-limit.ts";
import { itself } from "./responses.ts";

/** A token that exists, whether it allows what was asked or not. */
type Valid = Validation & { bearer: NonNullable<Validation["bearer"]> };

const Text = z.string().max(250).optional();

const ValidationBody = z
  .object({
    success: z.boolean(),
    error: z.string().optional(),
    app: AppBody.optional(),
    app_override_id: z.string().optional(),
    oauth_app_id: z.string().optional(),
    error_redirect_uri: z.string().optional(),
    success_redirect_uri: z.string().optional(),
    project_app_name: z.string().optional(),
    project_environment: z.string().optional(),
    project_id: z.string().optional(),
    project_support_email: z.string().optional(),
  })
  .openapi("TokenValidation");

const validate = createRoute({
  operationId: "validateConnectToken",
  method: "get",
  path: "/tokens/{token}/validate",
  request: {
    params: z.object({ token: z.string().max(200) }),
    query: z.object({ app_id: Text, account_id: Text, oauth_app_id: Text, app_override_id: Text }),
  },
  responses: itself(ValidationBody),
});

/** The route that requires no credentials except the connect token in its path. */
export const tokenValidation = createRouter().openapi(validate, async (c) => {
  const { token } = c.req.valid("param");
  const { app_id: app, account_id: accountId, ...more } = c.req.valid("query");
  const query = {
    app,
    accountId,
    oauthAppId: more.oauth_app_id,
    appOverrideId: more.app_override_id,
  };
  const keyHash = await sha256Hex(token);
  const validation = await withinRate(c, { keyHash, ownerOf: projectOf }, async () => {
    const { bearer, ...rest } = await validateToken(c.var.platform, token, query);
    return bearer && { ...rest, bearer };
  });
  return c.json(present(validation ?? { query, error: EXPIRED }), 200);
});

function projectOf({ bearer }: Valid): string {
  return bearer.project.id;
}

function present({ bearer, app, query, error }: Validation): z.input<typeof ValidationBody> {
  if (!bearer) return { success: false, ...(error !== undefined && { error }) };
  const { token, project, externalUser } = bearer;
  const body = {
    success: error === undefined,
    error,
    app: app && presentApp(app),
    app_override_id: query.appOverrideId,
    oauth_app_id: query.oauthAppId ?? token.oauthAppId,
    error_redirect_uri: token.errorRedirectUri,
    success_redirect_uri: token.successRedirectUri,
    project_app_name: productOf(bearer),
    project_environment: externalUser.environment,
    project_id: project.id,
    project_support_email: project.supportEmail,
  };
  return ValidationBody.parse(
    Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
  );
}
