import { oauthAppById } from "#db/connect/project-oauth-apps.ts";
import { oauthApp } from "#db/oauth-apps.ts";
import { signInOf } from "#domain/app-overrides.ts";
import type { Id } from "#domain/ids.ts";
import type { OauthSettings, TokenEndpoint } from "#durable-objects/account/contract.ts";

import type { AppContext } from "../context.ts";
import { appFor } from "./apps.ts";
import { placeOfSecret } from "./project-oauth-apps.ts";

/**
 * The client that refreshes the tokens of an account: the project's own that connected it, else the operator's.
 * Undefined: there is none, or the app's token URL is not set.
 */
export async function refreshingClient(
  ctx: Pick<AppContext, "db">,
  app: string,
  oauthAppId: Id<"oauth_app"> | null,
): Promise<OauthSettings | undefined> {
  if (oauthAppId === null) {
    const operators = await oauthApp(ctx.db, app);
    return operators && { ...operators, place: ["oauth_app", app] };
  }
  const [row, known] = await Promise.all([oauthAppById(ctx.db, oauthAppId), appFor(ctx, app)]);
  const oauth = row && signInOf(known.oauth, row.endpoints);
  if (!row || !oauth) return undefined;
  const { clientId, clientSecret } = row;
  const { authentication, tokenUrl } = oauth;
  return { clientId, clientSecret, authentication, tokenUrl, place: placeOfSecret(oauthAppId) };
}

/** The token server for a user's own client. Undefined: the app specifies none. */
export async function tokenEndpoint(
  ctx: Pick<AppContext, "db">,
  app: string,
): Promise<TokenEndpoint | undefined> {
  const { oauth } = await appFor(ctx, app);
  return oauth && { tokenUrl: oauth.tokenUrl, authentication: oauth.authentication };
}
