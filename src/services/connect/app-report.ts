import type { AppListRequest } from "#db/connect/app-list.ts";
import { pageOfAppOverrides } from "#db/connect/app-overrides.ts";
import {
  newestOauthApp,
  projectOauthApp,
  type ProjectOauthApp,
} from "#db/connect/project-oauth-apps.ts";
import { hasProject } from "#db/connect/projects.ts";
import { allOauthApps, firstClient, type OauthApp } from "#db/oauth-apps.ts";
import { overridden, type OverrideSettings } from "#domain/app-overrides.ts";
import { type App, appOf } from "#domain/apps.ts";
import { settledFields, type SettledField } from "#domain/connect/app-origins.ts";
import type { AppSettings } from "#domain/connect/app-settings.ts";
import { type Guide, mergedSettings } from "#domain/connect/catalogue.ts";
import { notFound } from "#domain/errors.ts";
import type { Id } from "#domain/ids.ts";

import type { AppContext } from "../context.ts";
import { listAppSlugs } from "./app-list.ts";
import { type AppLayers, appFrom, getApp, layersFor } from "./apps.ts";
import { redirectUriOf } from "./redirect-uri.ts";

type ReportContext = Pick<AppContext, "apiOrigin" | "catalogue" | "db">;

/** An app as operators see it. */
export type AppReport = {
  app: App;
  /** Its fields, with the place that states each. */
  settings: SettledField[];
  hasOwnSettings: boolean;
  /** Whether accounts can be connected: signing in needs the provider's URLs and a client. */
  state: "needs_client" | "needs_settings" | "ready";
  client?: OauthApp | undefined;
  /** The slug that a client is set for: the family's, if the app has one. */
  clientApp: string;
  /** The redirect URI of that client; undefined: nobody signs in to the app. */
  redirectUri?: string | undefined;
  guide?: Guide | undefined;
};

/** A page of all apps, as operators see them. */
export async function listAppReports(
  ctx: ReportContext,
  request: Pick<AppListRequest, "after" | "before" | "limit" | "q">,
): Promise<{ items: AppReport[]; totalCount: number }> {
  const order = { sortKey: "name_slug", isDescending: false, having: [] } as const;
  const { slugs, totalCount } = await listAppSlugs(ctx, { ...order, ...request });
  const clients = await allOauthApps(ctx.db);
  const layers = slugs.length === 0 ? [] : await layersFor(ctx, slugs);
  return { items: layers.map((one) => reportOf(ctx, one, { clients })), totalCount };
}

/** An app as operators see it; with a project, with the project's newest override and client. */
export async function getAppReport(
  ctx: ReportContext,
  { slug, project }: { slug: string; project?: Id<"project"> | undefined },
): Promise<AppReport> {
  await getApp(ctx, slug);
  const [layers] = await layersFor(ctx, [slug]);
  if (!layers) throw new Error(`${slug} was not looked up`);
  const own = project === undefined ? undefined : await projectLayer(ctx, project, slug);
  return reportOf(ctx, layers, { clients: await allOauthApps(ctx.db), own });
}

/** The settings that a project states. */
type ProjectLayer = { client?: ProjectOauthApp | undefined; overrides: OverrideSettings };

async function projectLayer(
  { db }: Pick<AppContext, "db">,
  project: Id<"project">,
  app: string,
): Promise<ProjectLayer> {
  if (!(await hasProject(db, project))) throw notFound("project", project);
  const [override] = (await pageOfAppOverrides(db, project, { limit: 1, app })).items;
  const id = override?.oauthAppId;
  const client = await (id
    ? projectOauthApp(db, { project, id })
    : newestOauthApp(db, { project, app }));
  return { client, overrides: override?.settings ?? {} };
}

function reportOf(
  ctx: Pick<AppContext, "apiOrigin">,
  layers: AppLayers,
  { clients, own }: { clients: OauthApp[]; own?: ProjectLayer | undefined },
): AppReport {
  const known = appFrom(layers);
  const app = own ? overridden(known, own.overrides) : known;
  const client = firstClient(clients, app.siblings);
  const clientApp = client?.app ?? familyOf(layers);
  return {
    app,
    settings: settledFieldsOf(app, layers, { client, own }),
    hasOwnSettings: layers.operator !== undefined,
    state: stateOf(app, client ?? own?.client),
    client,
    clientApp,
    redirectUri: app.authType === "oauth" ? redirectUriOf(ctx, clientApp) : undefined,
    guide: layers.entry?.guide,
  };
}

function familyOf({ slug, entry }: AppLayers): string {
  return entry?.family ?? slug;
}

function settledFieldsOf(
  app: App,
  layers: AppLayers,
  { client, own }: { client: OauthApp | undefined; own: ProjectLayer | undefined },
): SettledField[] {
  const states = {
    project: own && settingsOf(app, own),
    operator: withStored(layers.operator, client),
    catalogue: layers.entry?.settings,
  };
  return settledFields(effective(app, states), { ...states, code: derivedSettings(layers) });
}

function stateOf({ authType, oauth }: App, client: object | undefined): AppReport["state"] {
  if (authType !== "oauth") return "ready";
  if (!oauth) return "needs_settings";
  return client ? "ready" : "needs_client";
}

type States = Partial<Record<"catalogue" | "operator" | "project", AppSettings | undefined>>;

function effective(
  { name, authType: auth_type, fields }: App,
  { project, operator, catalogue }: States,
): AppSettings {
  const settings = mergedSettings(mergedSettings(catalogue, operator), project);
  return { ...settings, name, auth_type, fields };
}

/** The settings that are derived from code. */
function derivedSettings({ slug, reads }: AppLayers): AppSettings {
  const { name, authType: auth_type, fields } = appOf(slug, reads);
  return { name, auth_type, fields };
}

/** The operator's settings, with what was stored with the client: it refreshes at that URL. */
function withStored(
  settings: AppSettings | undefined,
  client: OauthApp | undefined,
): AppSettings | undefined {
  if (!client || client.followsApp) return settings;
  const { tokenUrl: refresh_url, authentication: client_authentication } = client;
  return { ...settings, oauth: { ...settings?.oauth, refresh_url, client_authentication } };
}

/** A project's settings in the form of an operator's. */
function settingsOf(app: App, { client, overrides }: ProjectLayer): AppSettings {
  const { fields: named = [], test } = overrides;
  const names = new Set(named.map(({ name }) => name));
  return {
    fields: app.fields.filter(({ name }) => names.has(name)),
    ...(client && { oauth: clientSettings(app, client) }),
    ...(test && { test: { url: test.url }, request: { headers: app.request.headers } }),
  };
}

function clientSettings(
  { oauth }: App,
  { endpoints, scopes, additionalScopes }: ProjectOauthApp,
): NonNullable<AppSettings["oauth"]> {
  const all = [...(scopes ?? oauth?.scopes ?? []), ...(additionalScopes ?? [])];
  return { ...endpoints, ...((scopes ?? additionalScopes) && { scopes: [...new Set(all)] }) };
}
