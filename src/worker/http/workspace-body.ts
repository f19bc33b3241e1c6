import { z } from "@hono/zod-openapi";

import type { WorkspaceUsage } from "#services/workspaces.ts";

import { presentQuota } from "./quotas-body.ts";

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

/** A workspace among those of a user (docs/contract.md: Users): on a legacy plan with invocations and compute time. */
export const OrgBody = WorkspaceBody.extend({
  daily_compute_time_quota: z.int().optional(),
  daily_compute_time_used: z.int().optional(),
  daily_invocations_quota: z.int().optional(),
  daily_invocations_used: z.int().optional(),
}).openapi("Org");

export function presentOrg(workspace: WorkspaceUsage): z.input<typeof OrgBody> {
  const { plan, usedToday } = workspace;
  if (plan !== "legacy") return presentWorkspace(workspace);
  return {
    ...presentWorkspace(workspace),
    daily_compute_time_quota: presentQuota(workspace.dailyComputeMsQuota),
    daily_compute_time_used: usedToday.computeMs,
    daily_invocations_quota: presentQuota(workspace.dailyInvocationsQuota),
    daily_invocations_used: usedToday.invocations,
  };
}

/** A workspace in a response. */
export function presentWorkspace(workspace: WorkspaceUsage): z.input<typeof WorkspaceBody> {
  return {
    id: workspace.id,
    orgname: workspace.orgname,
    name: workspace.name,
    email: workspace.email,
    daily_credits_quota: presentQuota(workspace.dailyCreditsQuota),
    daily_credits_used: workspace.usedToday.credits,
  };
}
