import { type AlertFilter, type ListedAlert, pageOfAlerts } from "#db/alerts.ts";
import type { Id } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import { requireMember } from "./access.ts";
import type { AppContext, Context } from "./context.ts";

export type { ListedAlert } from "#db/alerts.ts";

type State = AlertFilter["state"];

/** The alerts of the actor's own resources, newest first. */
export function listAlerts(
  ctx: Pick<Context, "actor" | "db" | "now">,
  state: State,
  request: PageRequest,
): Promise<Page<ListedAlert>> {
  return listAllAlerts(ctx, { owner: ctx.actor.id, state }, request);
}

/** The alerts of a workspace that the actor belongs to. */
export async function listWorkspaceAlerts(
  ctx: Pick<Context, "actor" | "db" | "now" | "workspace">,
  { workspace, state }: { workspace: Id<"workspace">; state: State },
  request: PageRequest,
): Promise<Page<ListedAlert>> {
  await requireMember(ctx, workspace);
  return listAllAlerts(ctx, { owner: workspace, state }, request);
}

/** The alerts of an owner, or of all, for the operator. */
export function listAllAlerts(
  ctx: Pick<AppContext, "db" | "now">,
  filter: AlertFilter,
  request: PageRequest,
): Promise<Page<ListedAlert>> {
  return pageOfAlerts(ctx.db, { ...filter, nowMs: ctx.now() * 1000 }, request);
}
