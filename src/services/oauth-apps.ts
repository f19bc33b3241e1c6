import * as store from "#db/oauth-apps.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import type { TokenClient } from "#domain/oauth.ts";
import { targetRefusal, type TargetRules } from "#domain/targets.ts";
import { keyIdOf } from "#vault/envelope.ts";

import { knownApp } from "./connect/apps.ts";
import type { AppContext } from "./context.ts";

type Given = { app: string; tokenUrl: string | undefined };

export type { OauthApp } from "#db/oauth-apps.ts";

/**
 * Set the OAuth client that refreshes the access tokens of an app's accounts, by default at the token URL of the app. The
 * client secret is stored sealed.
 */
export async function putOauthApp(
  ctx: Pick<AppContext, "db" | "now" | "vault"> & TargetRules,
  { app, tokenUrl: given, ...rest }: Omit<TokenClient, "tokenUrl"> & Given,
): Promise<store.OauthApp> {
  const tokenUrl = given ?? (await knownApp(ctx, app))?.oauth?.tokenUrl;
  if (tokenUrl === undefined)
    throw invalidInput([
      { path: "token_url", message: `is required: ${app} has no oauth settings` },
    ]);
  const client = { ...rest, tokenUrl };
  const refusal = targetRefusal(tokenUrl, ctx);
  if (refusal !== undefined) throw invalidInput([{ path: "token_url", message: refusal }]);
  const clientSecret = await ctx.vault.seal(client.clientSecret, ["oauth_app", app]);
  const keyId = keyIdOf(clientSecret);
  const at = ctx.now();
  const settings = { app, ...client, clientSecret, keyId, createdAt: at, updatedAt: at };
  return store.putOauthApp(ctx.db, settings);
}

export function listOauthApps(ctx: Pick<AppContext, "db">): Promise<store.OauthApp[]> {
  return store.allOauthApps(ctx.db);
}

export async function getOauthApp(
  ctx: Pick<AppContext, "db">,
  app: string,
): Promise<store.OauthApp> {
  const found = await store.oauthApp(ctx.db, app);
  if (!found) throw unknown(app);
  return found;
}

/** Delete the settings of an app: access tokens of its accounts are then used until they expire. */
export async function deleteOauthApp(ctx: Pick<AppContext, "db">, app: string): Promise<void> {
  if (!(await store.deleteOauthApp(ctx.db, app))) throw unknown(app);
}

function unknown(app: string): RequestError {
  return new RequestError("not_found", `There are no OAuth settings for ${app}`);
}
