import * as store from "#db/connect/app-overrides.ts";
import type { Credentials } from "#domain/accounts.ts";
import { overridden, type OverrideSettings } from "#domain/app-overrides.ts";
import type { App } from "#domain/apps.ts";
import { invalidInput, notFound } from "#domain/errors.ts";
import { type Id, isId, newId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";
import { keyIdOf } from "#vault/envelope.ts";

import type { AppContext } from "../context.ts";
import { appFor, getApp } from "./apps.ts";
import type { ProjectContext } from "./context.ts";
import { getProjectOauthApp } from "./project-oauth-apps.ts";

/** A customer's override of an app for its users. */
export type AppOverrideInput = {
  app: string;
  name: string;
  /** The client by which they sign in at the provider. */
  oauthAppId?: string | undefined;
  /** The values of fields that users do not fill in. */
  fields: Credentials;
  /** Further settings of the app. */
  settings?: OverrideSettings | undefined;
};

/** Absent: unchanged. An empty `oauthAppId`: users sign in by another client again. */
export type AppOverrideChange = {
  [K in "fields" | "name" | "oauthAppId" | "settings"]?: AppOverrideInput[K] | undefined;
};

/** An override with its app and the values of those of its fields that are not secret. */
export type AppOverride = store.AppOverride & { about: App; shown: Credentials };

/** Override settings of an app for the users of a project. The values are stored sealed. */
export async function createAppOverride(
  ctx: ProjectContext,
  { app: slug, name, oauthAppId, fields, settings = {} }: AppOverrideInput,
): Promise<AppOverride> {
  const app = await getApp(ctx, slug).catch(() => undefined);
  if (!app) throw invalidInput([{ path: "app", message: `there is no app ${slug}` }]);
  checkFields(overridden(app, settings), fields);
  const id = newId("app_override");
  const at = ctx.now();
  const row = await store.insertAppOverride(ctx.db, {
    id,
    projectId: ctx.project.id,
    app: app.slug,
    name,
    oauthAppId: await clientIn(ctx, app, oauthAppId),
    ...(await sealed(ctx, id, fields)),
    settings,
    createdAt: at,
    updatedAt: at,
  });
  return shown(ctx, row);
}

export async function listAppOverrides(
  ctx: ProjectContext,
  request: PageRequest & { app?: string | undefined },
): Promise<Page<AppOverride>> {
  const { items, totalCount } = await store.pageOfAppOverrides(ctx.db, ctx.project.id, request);
  return { items: await Promise.all(items.map((row) => shown(ctx, row))), totalCount };
}

export async function getAppOverride(
  ctx: ProjectContext,
  id: Id<"app_override">,
): Promise<AppOverride> {
  return shown(ctx, await rowOf(ctx, id));
}

/**
 * Change settings. New values of fields replace all old ones, as do new settings, each by its name; connected accounts
 * keep theirs.
 */
export async function updateAppOverride(
  ctx: ProjectContext,
  id: Id<"app_override">,
  { name, oauthAppId, fields, settings: change = {} }: AppOverrideChange,
): Promise<AppOverride> {
  const { about, app, settings: before, fieldNames } = await getAppOverride(ctx, id);
  const settings = { ...before, ...change };
  const given = fields ?? Object.fromEntries(fieldNames.map((field) => [field, ""]));
  checkFields(overridden(await appFor(ctx, app), settings), given);
  const updated = await store.updateAppOverride(
    ctx.db,
    { project: ctx.project.id, id, at: ctx.now() },
    {
      ...(name !== undefined && { name }),
      ...(oauthAppId !== undefined && { oauthAppId: await clientIn(ctx, about, oauthAppId) }),
      ...(fields && (await sealed(ctx, id, fields))),
      settings,
    },
  );
  if (!updated) throw notFound("app_override", id);
  return shown(ctx, updated);
}

export async function deleteAppOverride(
  { db, project }: Pick<ProjectContext, "db" | "project">,
  id: Id<"app_override">,
): Promise<void> {
  if (!(await store.deleteAppOverride(db, { project: project.id, id })))
    throw notFound("app_override", id);
}

/** The settings of an override for accounts of its app. Undefined: the project has no such override for the app. */
export async function presetOf(
  ctx: ProjectContext,
  { id, app }: { id: string; app: string },
): Promise<
  | { fields: Credentials; oauthAppId: Id<"oauth_app"> | null; overrides: OverrideSettings }
  | undefined
> {
  if (!isId("app_override", id)) return undefined;
  const row = await store.appOverride(ctx.db, { project: ctx.project.id, id });
  if (row?.app !== app) return undefined;
  const { oauthAppId, settings } = row;
  return { fields: await opened(ctx, row), oauthAppId, overrides: settings ?? {} };
}

async function rowOf(ctx: ProjectContext, id: Id<"app_override">): Promise<store.AppOverride> {
  const row = await store.appOverride(ctx.db, { project: ctx.project.id, id });
  if (!row) throw notFound("app_override", id);
  return row;
}

async function shown(ctx: ProjectContext, row: store.AppOverride): Promise<AppOverride> {
  const [app, fields] = await Promise.all([appFor(ctx, row.app), opened(ctx, row)]);
  const about = overridden(app, row.settings ?? {});
  const secrets = new Set(about.fields.flatMap(({ name, secret }) => (secret ? [name] : [])));
  const open = Object.entries(fields).filter(([name]) => !secrets.has(name));
  return { ...row, about, shown: Object.fromEntries(open) };
}

function checkFields(app: App, fields: Credentials): void {
  const known = new Set(app.fields.map(({ name }) => name));
  const unknown = Object.keys(fields).filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw invalidInput(
      unknown.map((name) => ({ path: `cfmap.${name}`, message: `is not a field of ${app.slug}` })),
    );
}

async function clientIn(
  ctx: ProjectContext,
  app: App,
  id: string | undefined,
): Promise<Id<"oauth_app"> | null> {
  if (id === undefined || id === "") return null;
  const client = isId("oauth_app", id)
    ? await getProjectOauthApp(ctx, id).catch(() => undefined)
    : undefined;
  if (client?.app === app.slug) return client.id;
  const message = `there is no OAuth app ${id} for ${app.slug} in the project`;
  throw invalidInput([{ path: "oauth_app_id", message }]);
}

async function sealed(
  { vault }: Pick<AppContext, "vault">,
  id: Id<"app_override">,
  values: Credentials,
) {
  const fields = await vault.seal(JSON.stringify(values), placeOf(id));
  return { fields, fieldNames: Object.keys(values), keyId: keyIdOf(fields) };
}

async function opened(
  { vault }: Pick<AppContext, "vault">,
  { id, fields }: store.AppOverride,
): Promise<Credentials> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only credentials are sealed for this place.
  return JSON.parse(await vault.open(fields, placeOf(id))) as Credentials;
}

/** The seal's place of an override's fields. */
export function placeOf(id: Id<"app_override">): string[] {
  return ["app_override", id];
}
