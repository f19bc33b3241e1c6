import * as store from "#db/oauth-apps.ts";
import { filledWith } from "#domain/app-templates.ts";
import type { AppOauth } from "#domain/apps.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import type { TokenClient } from "#domain/oauth.ts";
import { targetRefusal, type TargetRules } from "#domain/targets.ts";
import { keyIdOf } from "#vault/envelope.ts";

import { appFor, knownApp } from "./connect/apps.ts";
import type { AppContext } from "./context.ts";

type Given = {
  app: string;
  tokenUrl: string | undefined;
  authentication: TokenClient["authentication"] | undefined;
};

export type { OauthApp } from "#db/oauth-apps.ts";

/**
 * Set the OAuth client by which users sign in to an app, or to the apps of a family. Its token URL and its authentication
 * are the app's, unless they are given. The client secret is stored sealed.
 */
export async function putOauthApp(
  ctx: Pick<AppContext, "catalogue" | "db" | "now" | "vault"> & TargetRules,
  {
    app,
    tokenUrl: given,
    authentication,
    ...rest
  }: Pick<TokenClient, "clientId" | "clientSecret"> & Given,
): Promise<store.OauthApp> {
  const oauth = await oauthIn(ctx, app);
  const tokenUrl = tokenUrlFor(given ?? oauth?.tokenUrl, app, ctx);
  const clientSecret = await ctx.vault.seal(rest.clientSecret, ["oauth_app", app]);
  const at = ctx.now();
  return store.putOauthApp(ctx.db, {
    app,
    clientId: rest.clientId,
    tokenUrl,
    authentication: authentication ?? oauth?.authentication ?? "body",
    followsApp: given === undefined && authentication === undefined,
    clientSecret,
    keyId: keyIdOf(clientSecret),
    createdAt: at,
    updatedAt: at,
  });
}

/** Drop the URL and the authentication that were stored with a client: those of its app apply. */
export async function dropOverrides(
  ctx: Pick<AppContext, "catalogue" | "db" | "now"> & TargetRules,
  app: string,
): Promise<store.OauthApp> {
  const client = await getOauthApp(ctx, app);
  const oauth = await oauthIn(ctx, app);
  const tokenUrl = tokenUrlFor(oauth?.tokenUrl, app, ctx);
  const authentication = oauth?.authentication ?? client.authentication;
  return store.putOauthApp(ctx.db, {
    ...client,
    tokenUrl,
    authentication,
    followsApp: true,
    updatedAt: ctx.now(),
  });
}

/** Refuses an unknown URL, and one whose target requests may not have. */
function tokenUrlFor(url: string | undefined, app: string, rules: TargetRules): string {
  if (url === undefined)
    throw invalidInput([
      { path: "token_url", message: `is required: ${app} has no oauth settings` },
    ]);
  const filled = filledWith(url, () => "a");
  // A host that the provider returns is checked when it does.
  const refusal = URL.canParse(filled) ? targetRefusal(filled, rules) : undefined;
  if (refusal !== undefined) throw invalidInput([{ path: "token_url", message: refusal }]);
  return url;
}

/** The settings of signing in to an app, or to the first app of a family. */
async function oauthIn(
  ctx: Pick<AppContext, "catalogue" | "db">,
  app: string,
): Promise<AppOauth | undefined> {
  const exactApp = await knownApp(ctx, app);
  if (exactApp) return exactApp.oauth;
  const catalogue = await ctx.catalogue();
  const relative = catalogue.values().find(({ siblings }) => siblings.includes(app));
  return relative && (await appFor(ctx, relative.slug)).oauth;
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
