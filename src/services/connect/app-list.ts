import { type AppListRequest, categoryNames, pageOfApps } from "#db/connect/app-list.ts";
import type { App } from "#domain/apps.ts";
import { RequestError } from "#domain/errors.ts";
import { slugOf } from "#domain/slug.ts";

import type { AppContext } from "../context.ts";
import { appsFor } from "./apps.ts";

/** A category of apps, named by the operator. */
export type Category = { id: string; name: string };

/** All apps with settings or published components. `categories`: ids; apps in any of them are listed. */
export async function listApps(
  ctx: Pick<AppContext, "db">,
  { categories: ids, ...request }: AppListRequest,
): Promise<{ items: App[]; totalCount: number }> {
  const wanted = ids && (await listCategories(ctx)).filter(({ id }) => ids.includes(id));
  const categories = wanted?.map(({ name }) => name);
  const { slugs, totalCount } = await pageOfApps(ctx.db, { ...request, categories });
  return { items: slugs.length === 0 ? [] : await appsFor(ctx, slugs), totalCount };
}

/** The categories of apps. */
export async function listCategories({ db }: Pick<AppContext, "db">): Promise<Category[]> {
  const names = await categoryNames(db);
  return names.map((name) => ({ id: slugOf(name), name }));
}

/** A category by its id. */
export async function getCategory(ctx: Pick<AppContext, "db">, id: string): Promise<Category> {
  const category = (await listCategories(ctx)).find((one) => one.id === id);
  if (!category) throw new RequestError("not_found", `No category with id ${id}`);
  return category;
}
