import { knownOf } from "#db/connect/apps.ts";
import { oauthAppById } from "#db/connect/project-oauth-apps.ts";
import { type OauthApp, sharedOauthApp } from "#db/oauth-apps.ts";
import { signInOf } from "#domain/app-overrides.ts";
import type { AppOauth } from "#domain/apps.ts";
import { AppSettings } from "#domain/connect/app-settings.ts";
import type { Id } from "#domain/ids.ts";
import type { OauthSettings, TokenEndpoint } from "#durable-objects/account/contract.ts";

import { type AppLookup, appFor } from "./apps.ts";
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
  const { oauth, siblings } = await appFor(ctx, app);
  const row = await sharedOauthApp(ctx.db, siblings);
  if (!row) return undefined;
  const endpoint = row.followsApp
    ? oauth && endpointOf(oauth)
    : { ...ownEndpoint(row, oauth), revokeUrl: await operatorsRevokeUrl(ctx, app) };
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

/** The URL that the operator set for an app. That of the catalogue belongs to the catalogue's token server. */
async function operatorsRevokeUrl({ db }: AppLookup, app: string): Promise<string | undefined> {
  const [row] = (await knownOf(db, [app])).settings;
  return row && AppSettings.parse(row.settings).oauth?.revoke_url;
}

/** The endpoints that refresh and revoke tokens. */
function endpointOf(oauth: AppOauth): TokenEndpoint {
  const { tokenUrl, refreshUrl, revokeUrl, authentication, tokenRequest: style } = oauth;
  const endpoint = { tokenUrl: refreshUrl ?? tokenUrl, revokeUrl, authentication, style };
  return { ...endpoint, returned: oauth.credentials };
}
