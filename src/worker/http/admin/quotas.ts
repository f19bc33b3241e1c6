import { createRoute, z } from "@hono/zod-openapi";

import { type Quotas, setQuotas } from "#services/quotas.ts";

import { createRouter, idOf, one, params } from "../openapi.ts";

/** A whole number, or its text where it comes in a query string; 0 and null lift a quota. */
const Quota = z
  .preprocess(
    (value) => (typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value),
    z.int("must be a whole number").min(0, "must not be negative").nullish(),
  )
  .openapi({ type: ["integer", "null"], minimum: 0, description: "0 or null: not limited" });

const QuotasBody = z
  .object({
    daily_invocations_quota: z.int(),
    daily_compute_time_quota: z.int().openapi({ description: "Milliseconds" }),
    daily_credits_quota: z.int(),
  })
  .openapi("Quotas");

const body = params(
  z.object({
    daily_invocations_quota: Quota,
    daily_compute_time_quota: Quota,
    daily_credits_quota: Quota,
  }),
);

const ofUser = createRoute({
  operationId: "setUserQuotas",
  method: "put",
  path: "/users/{id}/quotas",
  request: { params: z.object({ id: idOf("user", "u_5d0") }), body },
  responses: one(QuotasBody),
});

const ofWorkspace = createRoute({
  operationId: "setWorkspaceQuotas",
  method: "put",
  path: "/workspaces/{id}/quotas",
  request: { params: z.object({ id: idOf("workspace", "o_5d0") }), body },
  responses: one(QuotasBody),
});

export const quotas = createRouter()
  .openapi(ofUser, async (c) => {
    const change = changeOf(c.req.valid("json"));
    const set = await setQuotas(c.var.platform, c.req.valid("param").id, change);
    return c.json({ data: present(set) }, 200);
  })
  .openapi(ofWorkspace, async (c) => {
    const change = changeOf(c.req.valid("json"));
    const set = await setQuotas(c.var.platform, c.req.valid("param").id, change);
    return c.json({ data: present(set) }, 200);
  });

type Change = z.output<(typeof body.content)["application/json"]["schema"]>;

/** Quotas that are left out stay as they are. */
function changeOf(given: Change): Partial<Quotas> {
  return {
    ...(given.daily_invocations_quota !== undefined && {
      dailyInvocationsQuota: given.daily_invocations_quota || null,
    }),
    ...(given.daily_compute_time_quota !== undefined && {
      dailyComputeMsQuota: given.daily_compute_time_quota || null,
    }),
    ...(given.daily_credits_quota !== undefined && {
      dailyCreditsQuota: given.daily_credits_quota || null,
    }),
  };
}

/** Quotas that are not set are 0. */
function present(set: Quotas): z.input<typeof QuotasBody> {
  return {
    daily_invocations_quota: set.dailyInvocationsQuota ?? 0,
    daily_compute_time_quota: set.dailyComputeMsQuota ?? 0,
    daily_credits_quota: set.dailyCreditsQuota ?? 0,
  };
}
