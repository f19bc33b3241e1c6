import { z } from "zod";

import { type App, type AppField, type AppOauth, nameOf, oauthOf } from "./apps.ts";
import {
  AppFieldSettings,
  AppOauthSettings,
  type AppSettings,
  AppTestSettings,
  checkHosts,
} from "./connect/app-settings.ts";

/** The OAuth endpoints of a project's client, if they differ from the operator's settings. */
export type OauthEndpoints = z.output<typeof OauthEndpoints>;
export const OauthEndpoints = AppOauthSettings.omit({ scopes: true, scope_profiles: true })
  .required({ authorize_url: true, token_url: true })
  .extend({
    parameters: AppOauthSettings.shape.parameters.unwrap().default({}),
    pkce: AppOauthSettings.shape.pkce.unwrap().default(true),
    client_authentication: AppOauthSettings.shape.client_authentication.unwrap().default("body"),
  })
  .superRefine(checkHosts);

/** A project's override of the operator's settings of an app, for its users. */
export type OverrideSettings = z.output<typeof OverrideSettings>;
export const OverrideSettings = z.strictObject({
  /** Changes the fields that it names, and adds those that the app lacks. */
  fields: z.array(AppFieldSettings).max(50).optional(),
  /** A request that succeeds with valid credentials; its headers replace the app's. */
  test: AppTestSettings.pick({ url: true })
    .extend({
      headers: z.record(z.string().max(100), z.string().max(4000)).default({}),
    })
    .optional(),
});

/** An app as a project's users see it. */
export function overridden(app: App, { fields = [], test }: OverrideSettings): App {
  const overrides = new Map(fields.map((field) => [field.name, field]));
  const known = new Set(app.fields.map(({ name }) => name));
  const added = fields.filter(({ name }) => !known.has(name));
  return {
    ...app,
    fields: [
      ...app.fields.map((field) => changed(field, overrides.get(field.name))),
      ...added.map((field) => changed(newField(field.name), field)),
    ],
    ...(test && {
      test: { url: test.url },
      request: { ...app.request, headers: { ...app.request.headers, ...test.headers } },
    }),
  };
}

function changed(
  field: AppField,
  override: Partial<z.output<typeof AppFieldSettings>> = {},
): AppField {
  return {
    name: field.name,
    label: override.label ?? field.label,
    description: override.description ?? field.description,
    secret: override.secret ?? field.secret,
    optional: override.optional ?? field.optional,
    default: override.default ?? field.default,
    placeholder: override.placeholder ?? field.placeholder,
  };
}

function newField(name: string): AppField {
  return { name, label: nameOf(name), secret: true, optional: false };
}

/**
 * The settings of signing in by a project's client: its own, each over that of the app, except the URL of refreshing,
 * which goes with its token URL. Undefined: there are none.
 */
export function signInOf(
  oauth: AppOauth | undefined,
  endpoints: OauthEndpoints | null,
): AppOauth | undefined {
  if (!endpoints) return oauth;
  return oauthOf({ ...(oauth && inherited(oauth)), ...endpoints });
}

/** The settings of an app that a client with URLs of its own may leave out. */
function inherited({ tokenRequest, ...oauth }: AppOauth): AppSettings["oauth"] {
  return {
    scopes: oauth.scopes,
    scope_profiles: oauth.scopeProfiles,
    scope_separator: oauth.scopeSeparator,
    token_parameters: tokenRequest.parameters,
    token_body: tokenRequest.body,
    credentials: oauth.credentials,
  };
}
