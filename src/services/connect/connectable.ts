import { type Credentials, OWN_CLIENT } from "#domain/accounts.ts";
import { overridden, type OverrideSettings } from "#domain/app-overrides.ts";
import type { App, AppField, AppOauth } from "#domain/apps.ts";
import type { ScopeProfile } from "#domain/connect/app-settings.ts";

import { presetOf } from "./app-overrides.ts";
import { knownApp } from "./apps.ts";
import { clientFor, type OwnSignIn, type SignIn } from "./clients.ts";
import type { ProjectContext } from "./context.ts";
import { redirectUriOf } from "./redirect-uri.ts";

/** An app with the settings for users of a project. */
export type Connectable = {
  app: App;
  /** The form fields for users, without those set by the project. */
  fields: AppField[];
  /** The credentials that the project sets for its users. */
  preset: Credentials;
  /** The settings of signing in; undefined if users enter keys. */
  signIn?: OwnSignIn | SignIn;
};

/** The parameters of a link. */
export type Named = {
  slug: string;
  oauthAppId: string | undefined;
  overrideId: string | undefined;
  /** The requested scopes of the app. */
  scopeProfile: string | undefined;
  /** Whether users sign in by clients of their own. Without any other client they always do. */
  bringsClient: boolean;
};

/**
 * The requirements for connecting an app in a project, or the reason why it is impossible, in a sentence for the user.
 */
export async function connectable(
  ctx: ProjectContext,
  named: Named,
): Promise<Connectable | { refusal: string }> {
  const known = await knownApp(ctx, named.slug);
  if (!known) return { refusal: `There is no app ${named.slug} to connect.` };
  if (known.authType === "none") return { refusal: `${known.name} needs no account.` };
  const settings = await settingsOf(ctx, named);
  if (!settings) return { refusal: `This link names settings of ${known.name} that do not exist.` };
  const { preset, oauthAppId, overrides } = settings;
  const app = overridden(known, overrides);
  const fields = app.fields.filter(({ name }) => !Object.hasOwn(preset, name));
  const byKeys = { app, fields, preset };
  return app.authType === "keys" ? byKeys : bySignIn(ctx, byKeys, { ...named, oauthAppId });
}

async function bySignIn(
  ctx: ProjectContext,
  { app, fields, preset }: Connectable,
  named: Named,
): Promise<Connectable | { refusal: string }> {
  const signIn = await signInAt(ctx, app, named);
  if (!signIn) return { refusal: `Signing in at ${app.name} has not been set up here yet.` };
  const oauth = restricted(signIn.oauth, named.scopeProfile);
  if (!oauth) return { refusal: `${app.name} has no scope profile ${named.scopeProfile ?? ""}.` };
  const clientValues = signIn.client ? [] : clientFields(app, redirectUriOf(ctx, signIn.clientKey));
  return { app, fields: [...clientValues, ...fields], preset, signIn: { ...signIn, oauth } };
}

/** The client by which users sign in; if none is named and none exists, one of their own. */
async function signInAt(
  ctx: ProjectContext,
  app: App,
  { oauthAppId, bringsClient }: Pick<Named, "bringsClient" | "oauthAppId">,
): Promise<OwnSignIn | SignIn | undefined> {
  const shared = bringsClient ? undefined : await clientFor(ctx, app, oauthAppId);
  if (shared || oauthAppId !== undefined || !app.oauth) return shared;
  return { oauth: app.oauth, clientKey: app.slug };
}

/** The scopes of a scope profile. Undefined: the app has no such profile. */
function restricted(oauth: AppOauth, profile: string | undefined): AppOauth | undefined {
  if (profile === undefined) return oauth;
  const { scopeProfiles } = oauth;
  const scopes = isProfile(scopeProfiles, profile) ? scopeProfiles[profile] : undefined;
  return scopes && { ...oauth, scopes };
}

function isProfile(profiles: AppOauth["scopeProfiles"], name: string): name is ScopeProfile {
  return Object.hasOwn(profiles, name);
}

/** The form fields of a user's own client. */
function clientFields(app: App, redirectUri: string): AppField[] {
  const field = { optional: false };
  const description = `Of your own OAuth client at ${app.name}, which needs this redirect URI: ${redirectUri}`;
  return [
    { ...field, name: OWN_CLIENT.id, label: "Client ID", secret: false, description },
    { ...field, name: OWN_CLIENT.secret, label: "Client secret", secret: true },
  ];
}

/** The project's settings of the app: by an override, if one is named. Undefined: no such override exists. */
async function settingsOf(
  ctx: ProjectContext,
  { slug, oauthAppId, overrideId }: Named,
): Promise<
  { preset: Credentials; oauthAppId: string | undefined; overrides: OverrideSettings } | undefined
> {
  if (overrideId === undefined) return { preset: {}, oauthAppId, overrides: {} };
  const override = await presetOf(ctx, { id: overrideId, app: slug });
  if (!override) return undefined;
  const { fields: preset, overrides } = override;
  return { preset, overrides, oauthAppId: override.oauthAppId ?? oauthAppId };
}
