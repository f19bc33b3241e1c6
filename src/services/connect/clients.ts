import { oauthApp } from "#db/oauth-apps.ts";
import type { AppOauth } from "#domain/apps.ts";
import type { Id } from "#domain/ids.ts";
import type { TokenClient } from "#domain/oauth.ts";

import type { AppContext } from "../context.ts";

/** How users sign in at a provider, and by which client. */
export type SignIn = {
  oauth: AppOauth;
  client: TokenClient;
  /** Names the client in its redirect URI: the project's own by its id, the operator's by the app. */
  clientKey: string;
  /** The project's own client. */
  oauthAppId?: Id<"oauth_app">;
};

/** The client by which users sign in at an app's provider: the operator's. Undefined: there is none. */
export async function clientFor(
  { db, vault }: Pick<AppContext, "db" | "vault">,
  slug: string,
  oauth: AppOauth,
  oauthAppId: string | undefined,
): Promise<SignIn | undefined> {
  if (oauthAppId !== undefined) return undefined;
  const row = await oauthApp(db, slug);
  if (!row) return undefined;
  const clientSecret = await vault.open(row.clientSecret, ["oauth_app", slug]);
  const { clientId, authentication } = row;
  const client = { clientId, clientSecret, authentication, tokenUrl: oauth.tokenUrl };
  return { oauth, client, clientKey: slug };
}
