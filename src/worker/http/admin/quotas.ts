import { createRoute, z } from "@hono/zod-openapi";

import { type Quotas, setQuotas } from "#services/quotas.ts";

import { createRouter, one, params } from "../openapi.ts";
import { presentQuotas, quotaIn, QuotasBody } from "../quotas-body.ts";
import { UserId, WorkspaceId } from "../resource-ids.ts";

/** A whole number, or its text in a query string; 0 and null remove a quota. */
const Quota = z
  .preprocess(
    (value) => (typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value),
    z.int("must be a whole number").min(0, "must not be negative").nullish(),
  )
  .openapi({ type: ["integer", "null"], minimum: 0 });

/** The quotas of a user or a workspace in a request. */
export const QuotaFields = {
  daily_invocations_quota: Quota,
  daily_compute_time_quota: Quota,
  daily_credits_quota: Quota,
  storage_quota: Quota,
};

const Change = z.object(QuotaFields);
const body = params(Change);

const ofUser = createRoute({
  operationId: "setUserQuotas",
  method: "put",
  path: "/users/{id}/quotas",
  request: { params: UserId, body },
  responses: one(QuotasBody),
});

const ofWorkspace = createRoute({
  operationId: "setWorkspaceQuotas",
  method: "put",
  path: "/workspaces/{id}/quotas",
  request: { params: WorkspaceId, body },
  responses: one(QuotasBody),
});

export const quotas = createRouter()
  .openapi(ofUser, async (c) => {
    const change = changeOf(c.req.valid("json"));
    const set = await setQuotas(c.var.platform, c.req.valid("param").id, change);
    return c.json({ data: presentQuotas(set) }, 200);
  })
  .openapi(ofWorkspace, async (c) => {
    const change = changeOf(c.req.valid("json"));
    const set = await setQuotas(c.var.platform, c.req.valid("param").id, change);
    return c.json({ data: presentQuotas(set) }, 200);
  });

/** Absent quotas are unchanged. */
export function changeOf(given: z.output<typeof Change>): Partial<Quotas> {
  return {
    ...(given.daily_invocations_quota !== undefined && {
      dailyInvocationsQuota: quotaIn(given.daily_invocations_quota),
    }),
    ...(given.daily_compute_time_quota !== undefined && {
      dailyComputeMsQuota: quotaIn(given.daily_compute_time_quota),
    }),
    ...(given.daily_credits_quota !== undefined && {
      dailyCreditsQuota: quotaIn(given.daily_credits_quota),
    }),
    ...(given.storage_quota !== undefined && { storageQuota: quotaIn(given.storage_quota) }),
  };
}
