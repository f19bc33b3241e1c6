import {
  newestOauthApp,
  projectOauthApp,
  type ProjectOauthApp,
} from "#db/connect/project-oauth-apps.ts";
import { sharedOauthApp } from "#db/oauth-apps.ts";
import { type Credentials, ownClientIn } from "#domain/accounts.ts";
import { signInOf } from "#domain/app-overrides.ts";
import type { App, AppOauth } from "#domain/apps.ts";
import { type Id, isId } from "#domain/ids.ts";
import type { TokenClient } from "#domain/oauth.ts";
import type { TokenEndpoint } from "#durable-objects/account/contract.ts";

import type { ProjectContext } from "./context.ts";
import { placeOfSecret } from "./project-oauth-apps.ts";

/** The client by which users sign in at a provider, and the settings of signing in. */
export type SignIn = {
  oauth: AppOauth;
  client: TokenClient;
  /** Names the client in its redirect URI: the project's own by its id, the operator's by the app. */
  clientKey: string;
  /** The project's own client. */
  oauthAppId?: Id<"oauth_app">;
};

/** The settings for users with clients of their own, which they enter when they sign in. */
export type OwnSignIn = Omit<SignIn, "client" | "oauthAppId"> & { client?: undefined };

/**
 * The client by which users sign in at an app's provider: the named one of the project, else the operator's, else
 * the newest of the project. Undefined: there is none.
 */
export async function clientFor(
  ctx: ProjectContext,
  { slug, oauth, siblings }: Pick<App, "oauth" | "siblings" | "slug">,
  oauthAppId: string | undefined,
): Promise<SignIn | undefined> {
  if (oauthAppId === undefined)
    return (
      (oauth && (await operatorsClient(ctx, siblings, oauth))) ??
      projectsClient(
        ctx,
        oauth,
        await newestOauthApp(ctx.db, { project: ctx.project.id, app: slug }),
      )
    );
  if (!isId("oauth_app", oauthAppId)) return undefined;
  const named = await projectOauthApp(ctx.db, { project: ctx.project.id, id: oauthAppId });
  return projectsClient(ctx, oauth, named?.app === slug ? named : undefined);
}

/** The settings of a user's sign-in; a user's own client is filled in. */
export function completed(signIn: OwnSignIn | SignIn, filledIn: Credentials): SignIn {
  if (signIn.client) return signIn;
  const own = ownClientIn(filledIn) ?? { clientId: "", clientSecret: "" };
  return { ...signIn, client: { ...own, ...tokenEndpointOf(signIn.oauth) } };
}

/** The operator's client by which users sign in at the provider of an app or its siblings. Undefined: there is none. */
export async function operatorsClient(
  { db, vault }: Pick<ProjectContext, "db" | "vault">,
  siblings: readonly string[],
  oauth: AppOauth,
): Promise<SignIn | undefined> {
  const row = await sharedOauthApp(db, siblings);
  if (!row) return undefined;
  const clientSecret = await vault.open(row.clientSecret, ["oauth_app", row.app]);
  const { clientId } = row;
  const authentication = row.followsApp ? oauth.authentication : row.authentication;
  const client = { ...tokenEndpointOf(oauth), clientId, clientSecret, authentication };
  return { oauth, client, clientKey: row.app };
}

async function projectsClient(
  { vault }: Pick<ProjectContext, "vault">,
  operators: AppOauth | undefined,
  row: ProjectOauthApp | undefined,
): Promise<SignIn | undefined> {
  const oauth = row && signInOf(operators, row.endpoints);
  if (!row || !oauth) return undefined;
  const { id, clientId, scopes, additionalScopes } = row;
  const clientSecret = await vault.open(row.clientSecret, placeOfSecret(id));
  const wanted = [...new Set([...(scopes ?? oauth.scopes), ...(additionalScopes ?? [])])];
  return {
    oauth: { ...oauth, scopes: wanted },
    client: { ...tokenEndpointOf(oauth), clientId, clientSecret },
    clientKey: id,
    oauthAppId: id,
  };
}

/** The token endpoint for codes. */
function tokenEndpointOf({
  tokenUrl,
  authentication,
  tokenRequest: style,
}: AppOauth): TokenEndpoint {
  return { tokenUrl, authentication, style };
}
