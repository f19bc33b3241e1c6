import { oauthAppById } from "#db/connect/project-oauth-apps.ts";
import { type OauthApp, sharedOauthApp } from "#db/oauth-apps.ts";
import { signInOf } from "#domain/app-overrides.ts";
import type { AppOauth } from "#domain/apps.ts";
import type { Id } from "#domain/ids.ts";
import type { OauthSettings, TokenEndpoint } from "#durable-objects/account/contract.ts";

import { appFor, appFrom, type AppLookup, layersFor } from "./apps.ts";
import { placeOfSecret } from "./project-oauth-apps.ts";

/**
 * The client that refreshes the tokens of an account: the project's own that connected it, else the operator's.
 * Undefined: there is none, or the app's token URL is not set.
 */
export async function refreshingClient(
  ctx: AppLookup,
  app: string,
  oauthAppId: Id<"oauth_app"> | null,
): Promise<OauthSettings | undefined> {
  if (oauthAppId === null) return operatorsSettings(ctx, app);
  const [row, known] = await Promise.all([oauthAppById(ctx.db, oauthAppId), appFor(ctx, app)]);
  const oauth = row && signInOf(known.oauth, row.endpoints);
  if (!row || !oauth) return undefined;
  const { clientId, clientSecret } = row;
  return { ...endpointOf(oauth), clientId, clientSecret, place: placeOfSecret(oauthAppId) };
}

async function operatorsSettings(ctx: AppLookup, app: string): Promise<OauthSettings | undefined> {
  const [layers] = await layersFor(ctx, [app]);
  if (!layers) return undefined;
  const { oauth, siblings } = appFrom(layers);
  const row = await sharedOauthApp(ctx.db, siblings);
  if (!row) return undefined;
  // The catalogue's URL of revocations belongs to the catalogue's token server.
  const revokeUrl = layers.operator?.oauth?.revoke_url;
  const endpoint = row.followsApp
    ? oauth && endpointOf(oauth)
    : { ...ownEndpoint(row, oauth), revokeUrl };
  const { clientId, clientSecret } = row;
  return endpoint && { ...endpoint, clientId, clientSecret, place: ["oauth_app", row.app] };
}

/** The token server for a user's own client. Undefined: the app specifies none. */
export async function tokenEndpoint(
  ctx: AppLookup,
  app: string,
): Promise<TokenEndpoint | undefined> {
  const { oauth } = await appFor(ctx, app);
  return oauth && endpointOf(oauth);
}

/** The endpoint that was set with a client. */
function ownEndpoint(
  { tokenUrl, authentication }: OauthApp,
  oauth: AppOauth | undefined,
): TokenEndpoint {
  return { tokenUrl, authentication, style: oauth?.tokenRequest };
}

/** The endpoints that refresh and revoke tokens. */
function endpointOf(oauth: AppOauth): TokenEndpoint {
  const { tokenUrl, refreshUrl, revokeUrl, authentication, tokenRequest: style } = oauth;
  const endpoint = { tokenUrl: refreshUrl ?? tokenUrl, revokeUrl, authentication, style };
  return { ...endpoint, returned: oauth.credentials };
}
