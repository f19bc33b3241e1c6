import { createRoute, z } from "@hono/zod-openapi";

import { getCurrentUser, type Profile } from "#services/users.ts";

import { createRouter, one } from "../openapi.ts";
import { presentQuota } from "../quotas-body.ts";
import { OrgBody, presentOrg } from "../workspace-body.ts";

const Identity = z.object({ id: z.string(), username: z.string(), email: z.string() });

const FreeUser = Identity.extend({
  daily_compute_time_quota: z.int(),
  daily_compute_time_used: z.int(),
  daily_invocations_quota: z.int(),
  daily_invocations_used: z.int(),
  orgs: z.array(OrgBody),
}).openapi("FreeUser");

const PaidUser = Identity.extend({
  billing_period_start_ts: z.int(),
  billing_period_end_ts: z.int(),
  billing_period_credits: z.int(),
}).openapi("PaidUser");

const read = createRoute({
  operationId: "getCurrentUser",
  method: "get",
  path: "/users/me",
  responses: one(z.union([FreeUser, PaidUser])),
});

export const users = createRouter().openapi(read, async (c) => {
  const profile = await getCurrentUser(c.var.context);
  return c.json({ data: present(profile) }, 200);
});

function present(profile: Profile): z.input<typeof FreeUser> | z.input<typeof PaidUser> {
  const { id, username, email, plan } = profile;
  return { id, username, email, ...(plan === "free" ? freePart(profile) : paidPart(profile)) };
}

function freePart(profile: Profile) {
  return {
    daily_compute_time_quota: presentQuota(profile.dailyComputeMsQuota),
    daily_compute_time_used: profile.usedToday.computeMs,
    daily_invocations_quota: presentQuota(profile.dailyInvocationsQuota),
    daily_invocations_used: profile.usedToday.invocations,
    orgs: profile.workspaces.map(presentOrg),
  };
}

function paidPart({ period, usedInPeriod }: Profile) {
  return {
    billing_period_start_ts: period.startAt,
    billing_period_end_ts: period.endAt,
    billing_period_credits: usedInPeriod.credits,
  };
}
