import {
  type AppListRequest,
  categoryNames,
  type ListedApp,
  pageOfApps,
} from "#db/connect/app-list.ts";
import type { App } from "#domain/apps.ts";
import { RequestError } from "#domain/errors.ts";
import { slugOf } from "#domain/slug.ts";

import { type AppLookup, appsFor } from "./apps.ts";

/** A category of apps, named by the operator. */
export type Category = { id: string; name: string };

type ListRequest = Omit<AppListRequest, "catalogue">;

/** All apps of the catalogue, with settings or with published components. `categories`: ids; apps in any of them are listed. */
export async function listApps(
  ctx: AppLookup,
  request: ListRequest,
): Promise<{ items: App[]; totalCount: number }> {
  const { slugs, totalCount } = await listAppSlugs(ctx, request);
  return { items: slugs.length === 0 ? [] : await appsFor(ctx, slugs), totalCount };
}

/** The slugs of the same list. */
export async function listAppSlugs(
  ctx: AppLookup,
  { categories: ids, ...request }: ListRequest,
): Promise<{ slugs: string[]; totalCount: number }> {
  const wanted = ids && (await listCategories(ctx)).filter(({ id }) => ids.includes(id));
  const categories = wanted?.map(({ name }) => name);
  const catalogue = await listedIn(ctx);
  return pageOfApps(ctx.db, { ...request, categories, catalogue });
}

/** The categories of apps. */
export async function listCategories(ctx: AppLookup): Promise<Category[]> {
  const names = await categoryNames(ctx.db, await listedIn(ctx));
  return names.map((name) => ({ id: slugOf(name), name }));
}

/** A category by its id. */
export async function getCategory(ctx: AppLookup, id: string): Promise<Category> {
  const category = (await listCategories(ctx)).find((one) => one.id === id);
  if (!category) throw new RequestError("not_found", `No category with id ${id}`);
  return category;
}

/** The apps of the catalogue, as lists need them. */
async function listedIn({ catalogue }: Pick<AppLookup, "catalogue">): Promise<ListedApp[]> {
  return [...(await catalogue()).values()].map(({ slug, entry, settings }) => {
    const { name = slug, categories = [] } = settings;
    return { slug, entry, name, categories };
  });
}
