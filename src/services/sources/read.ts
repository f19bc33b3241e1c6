import * as store from "#db/sources.ts";
import { notFound } from "#domain/errors.ts";
import type { Id } from "#domain/ids.ts";
import type { FilteredRequest, Page } from "#domain/page.ts";

import type { Context } from "../context.ts";

export type { Source } from "#db/sources.ts";

export async function getSource(
  ctx: Pick<Context, "actor" | "db">,
  id: Id<"source">,
): Promise<store.Source> {
  const source = await store.sourceById(ctx.db, ctx.actor.id, id);
  if (!source) throw notFound("source", id);
  return source;
}

/** The sources of the workspace that the request names; else those that the actor owns in person. */
export async function listSources(
  ctx: Pick<Context, "actor" | "db" | "workspace">,
  request: FilteredRequest,
): Promise<Page<store.Source>> {
  if (ctx.workspace !== undefined) return listWorkspaceSources(ctx, ctx.workspace, request);
  return store.pageOfSources(ctx.db, ctx.actor.id, request);
}

export async function listWorkspaceSources(
  ctx: Pick<Context, "actor" | "db">,
  workspace: Id<"workspace">,
  request: FilteredRequest,
): Promise<Page<store.Source>> {
  const scope = { user: ctx.actor.id, workspace };
  const page = await store.pageOfWorkspaceSources(ctx.db, scope, request);
  if (!page) throw notFound("workspace", workspace);
  return page;
}
