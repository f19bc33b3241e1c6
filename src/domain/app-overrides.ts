import { z } from "zod";

import {
  type App,
  type AppField,
  AppFieldSettings,
  type AppOauth,
  AppOauthSettings,
  AppTest,
  nameOf,
} from "./apps.ts";

/** How users sign in at a provider by a client of a project, where it is not as the operator says. */
export type OauthEndpoints = z.output<typeof OauthEndpoints>;
export const OauthEndpoints = AppOauthSettings.omit({ scopes: true, scope_profiles: true });

/** A project's override of the operator's settings of an app, for its users. */
export type OverrideSettings = z.output<typeof OverrideSettings>;
export const OverrideSettings = z.strictObject({
  /** Changes the fields that it names, and adds those that the app has not. */
  fields: z.array(AppFieldSettings).max(50).optional(),
  /** A request that succeeds with valid credentials; its headers are sent in place of the app's. */
  test: AppTest.extend({
    headers: z.record(z.string().max(100), z.string().max(4000)).default({}),
  }).optional(),
});

/** An app as a project's users see it. */
export function overridden(app: App, { fields = [], test }: OverrideSettings): App {
  const said = new Map(fields.map((field) => [field.name, field]));
  const known = new Set(app.fields.map(({ name }) => name));
  const added = fields.filter(({ name }) => !known.has(name));
  return {
    ...app,
    fields: [
      ...app.fields.map((field) => changed(field, said.get(field.name))),
      ...added.map((field) => changed(newField(field.name), field)),
    ],
    ...(test && {
      test: { url: test.url },
      request: { ...app.request, headers: { ...app.request.headers, ...test.headers } },
    }),
  };
}

function changed(field: AppField, said: Partial<z.output<typeof AppFieldSettings>> = {}): AppField {
  return {
    name: field.name,
    label: said.label ?? field.label,
    description: said.description ?? field.description,
    secret: said.secret ?? field.secret,
    optional: said.optional ?? field.optional,
    default: said.default ?? field.default,
    placeholder: said.placeholder ?? field.placeholder,
  };
}

function newField(name: string): AppField {
  return { name, label: nameOf(name), secret: true, optional: false };
}

/** How users sign in by a client of a project: as the project says, else as the operator does. Undefined: nobody says. */
export function signInOf(
  oauth: AppOauth | undefined,
  endpoints: OauthEndpoints | null,
): AppOauth | undefined {
  if (!endpoints) return oauth;
  const { authorize_url, token_url, client_authentication, ...same } = endpoints;
  return {
    scopes: oauth?.scopes ?? [],
    scopeProfiles: oauth?.scopeProfiles ?? {},
    ...same,
    authorizeUrl: authorize_url,
    tokenUrl: token_url,
    authentication: client_authentication,
  };
}
