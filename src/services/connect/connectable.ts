import type { Credentials } from "#domain/accounts.ts";
import type { App, AppField } from "#domain/apps.ts";

import { presetOf } from "./app-overrides.ts";
import { knownApp } from "./apps.ts";
import { clientFor, type SignIn } from "./clients.ts";
import type { ProjectContext } from "./context.ts";

/** An app as users of a project connect it. */
export type Connectable = {
  app: App;
  /** What users fill in: what the project says for them is left out. */
  fields: AppField[];
  /** The credentials that the project says for its users. */
  preset: Credentials;
  /** How users sign in, where they do. */
  signIn?: SignIn;
};

/** What a link names. */
export type Named = {
  slug: string;
  oauthAppId: string | undefined;
  overrideId: string | undefined;
};

/** What it takes to connect an app in a project; or why it cannot be, in a sentence for the user. */
export async function connectable(
  ctx: ProjectContext,
  named: Named,
): Promise<Connectable | { refusal: string }> {
  const app = await knownApp(ctx, named.slug);
  if (!app) return { refusal: `There is no app ${named.slug} to connect.` };
  if (app.authType === "none") return { refusal: `${app.name} needs no account.` };
  const settings = await settingsOf(ctx, named);
  if (!settings) return { refusal: `This link names settings of ${app.name} that are not there.` };
  const { preset, oauthAppId } = settings;
  const fields = app.fields.filter(({ name }) => !Object.hasOwn(preset, name));
  if (app.authType === "keys") return { app, fields, preset };
  const signIn = await clientFor(ctx, app, oauthAppId);
  if (!signIn) return { refusal: `Signing in at ${app.name} has not been set up here yet.` };
  return { app, fields, preset, signIn };
}

/** What the project says of the app: by an override, where one is named. Undefined: there is no such override. */
async function settingsOf(
  ctx: ProjectContext,
  { slug, oauthAppId, overrideId }: Named,
): Promise<{ preset: Credentials; oauthAppId: string | undefined } | undefined> {
  if (overrideId === undefined) return { preset: {}, oauthAppId };
  const override = await presetOf(ctx, { id: overrideId, app: slug });
  return override && { preset: override.fields, oauthAppId: override.oauthAppId ?? oauthAppId };
}
