import * as store from "#db/connect/apps.ts";
import { type App, appOf, AppSettings } from "#domain/apps.ts";
import { RequestError } from "#domain/errors.ts";

import type { AppContext } from "../context.ts";

/** Replace the settings of an app. Settings that are not set are derived from code. */
export async function putApp(
  ctx: Pick<AppContext, "db" | "now">,
  slug: string,
  settings: AppSettings,
): Promise<App> {
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

/** An app by its slug: the operator's settings, over the fields of `$auth` that published components read. */
export async function appFor(ctx: Pick<AppContext, "db">, slug: string): Promise<App> {
  const [app] = await appsFor(ctx, [slug]);
  if (!app) throw new Error(`${slug} was not looked up`);
  return app;
}

/** Like `appFor`, but refuses an app without settings that no published component uses. */
export async function getApp(ctx: Pick<AppContext, "db">, slug: string): Promise<App> {
  const { settings, read } = await store.knownOf(ctx.db, [slug]);
  if (settings.length + read.length > 0) return appFor(ctx, slug);
  throw new RequestError("not_found", `No app with slug ${slug}`);
}

/** Like `getApp`, but returns undefined for such an app. */
export async function knownApp(
  ctx: Pick<AppContext, "db">,
  slug: string,
): Promise<App | undefined> {
  try {
    return await getApp(ctx, slug);
  } catch (error) {
    if (error instanceof RequestError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Like `appFor`, for at most a hundred apps. */
export async function appsFor(
  ctx: Pick<AppContext, "db">,
  slugs: readonly string[],
): Promise<App[]> {
  const { settings, read } = await store.knownOf(ctx.db, slugs);
  const bySlug = new Map(settings.map((row) => [row.slug, AppSettings.parse(row.settings)]));
  return slugs.map((slug) => {
    const names = read.flatMap(({ app, auth }) => (app === slug ? auth : []));
    return appOf(slug, names, bySlug.get(slug));
  });
}
