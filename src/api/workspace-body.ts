import { z } from "@hono/zod-openapi";

import type { WorkspaceUsage } from "../services/workspaces.ts";

export const WorkspaceBody = z
  .object({
    id: z.string(),
    orgname: z.string(),
    name: z.string(),
    email: z.string(),
    daily_credits_quota: z.int(),
    daily_credits_used: z.int(),
  })
  .openapi("Workspace");

/** A workspace on the wire: by itself, and among those of a user. Quotas that are not set are 0. */
export function presentWorkspace(workspace: WorkspaceUsage): z.input<typeof WorkspaceBody> {
  return {
    id: workspace.id,
    orgname: workspace.orgname,
    name: workspace.name,
    email: workspace.email,
    daily_credits_quota: workspace.dailyCreditsQuota ?? 0,
    daily_credits_used: workspace.usedToday.credits,
  };
}
