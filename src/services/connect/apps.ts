import * as store from "#db/connect/apps.ts";
import { type App, appOf } from "#domain/apps.ts";
import { AppSettings } from "#domain/connect/app-settings.ts";
import { type CatalogueApp, mergedSettings } from "#domain/connect/catalogue.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";

import type { AppContext } from "../context.ts";

/** The means to look up apps. */
export type AppLookup = Pick<AppContext, "catalogue" | "db">;

/** Replace the settings of an app. Settings that are not set are those of the catalogue, or derived from code. */
export async function putApp(
  ctx: AppLookup & Pick<AppContext, "now">,
  slug: string,
  settings: AppSettings,
): Promise<App> {
  const entry = (await ctx.catalogue()).get(slug);
  const { oauth } = mergedSettings(entry?.settings, settings);
  const missing = oauth
    ? (["authorize_url", "token_url"] as const).filter((url) => !oauth[url])
    : [];
  if (missing.length > 0)
    throw invalidInput(missing.map((url) => ({ path: `oauth.${url}`, message: "is required" })));
  const at = ctx.now();
  // Through JSON text, so that undefined fields are absent.
  const stored = JSON.parse(JSON.stringify(settings));
  await store.putApp(ctx.db, { slug, settings: stored, createdAt: at, updatedAt: at });
  return appFor(ctx, slug);
}

/** Delete the settings of an app. */
export async function deleteApp(ctx: Pick<AppContext, "db">, slug: string): Promise<void> {
  if (!(await store.deleteApp(ctx.db, slug)))
    throw new RequestError("not_found", `The app ${slug} has no settings`);
}

/** An app by its slug: the operator's settings, over the catalogue, over the fields of `$auth` that published components read. */
export async function appFor(ctx: AppLookup, slug: string): Promise<App> {
  const [app] = await appsFor(ctx, [slug]);
  if (!app) throw new Error(`${slug} was not looked up`);
  return app;
}

/** Like `appFor`, but refuses an app without settings that neither the catalogue knows nor a published component uses. */
export async function getApp(ctx: AppLookup, slug: string): Promise<App> {
  const { settings, read } = await store.knownOf(ctx.db, [slug]);
  const isKnown = (await ctx.catalogue()).has(slug);
  if (isKnown || settings.length + read.length > 0) return appFor(ctx, slug);
  throw new RequestError("not_found", `No app with slug ${slug}`);
}

/** Like `getApp`, but returns undefined for such an app. */
export async function knownApp(ctx: AppLookup, slug: string): Promise<App | undefined> {
  try {
    return await getApp(ctx, slug);
  } catch (error) {
    if (error instanceof RequestError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Like `appFor`, for at most a hundred apps. */
export async function appsFor(ctx: AppLookup, slugs: readonly string[]): Promise<App[]> {
  return (await layersFor(ctx, slugs)).map((layers) => appFrom(layers));
}

/** The places that state an app: the operator, the catalogue, and the fields of `$auth` that components read. */
export type AppLayers = {
  slug: string;
  operator?: AppSettings | undefined;
  entry?: CatalogueApp | undefined;
  reads: string[];
};

/** The places that state each of at most a hundred apps. */
export async function layersFor(ctx: AppLookup, slugs: readonly string[]): Promise<AppLayers[]> {
  const [{ settings, read }, catalogue] = await Promise.all([
    store.knownOf(ctx.db, slugs),
    ctx.catalogue(),
  ]);
  const bySlug = new Map(settings.map((row) => [row.slug, AppSettings.parse(row.settings)]));
  return slugs.map((slug) => ({
    slug,
    operator: bySlug.get(slug),
    entry: catalogue.get(slug),
    reads: read.flatMap(({ app, auth }) => (app === slug ? auth : [])),
  }));
}

/** An app by the places that state it. */
export function appFrom({ slug, operator, entry, reads }: AppLayers): App {
  const app = appOf(slug, reads, mergedSettings(entry?.settings, operator));
  return { ...app, siblings: entry?.siblings ?? app.siblings };
}
