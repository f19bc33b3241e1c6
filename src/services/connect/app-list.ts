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

/** All apps with settings or published components, as the catalogue names them. `categories`: ids; apps in any of them are listed. */
export async function listApps(
  ctx: AppLookup,
  { categories: ids, ...request }: Omit<AppListRequest, "catalogue">,
): Promise<{ items: App[]; totalCount: number }> {
  const wanted = ids && (await listCategories(ctx)).filter(({ id }) => ids.includes(id));
  const categories = wanted?.map(({ name }) => name);
  const catalogue = await listedIn(ctx);
  const { slugs, totalCount } = await pageOfApps(ctx.db, { ...request, categories, catalogue });
  return { items: slugs.length === 0 ? [] : await appsFor(ctx, slugs), totalCount };
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
  return [...(await catalogue()).values()].map(({ slug, settings }) => {
    const { name = slug, categories = [] } = settings;
    return { slug, name, categories };
  });
}
