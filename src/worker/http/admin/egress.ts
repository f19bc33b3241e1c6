import { createRoute, z } from "@hono/zod-openapi";

import { OWNER_DAYS } from "#domain/billing.ts";
import { type DayEgress, egressOf } from "#services/egress.ts";

import { createRouter, digits, one } from "../openapi.ts";
import { UserId, WorkspaceId } from "../resource-ids.ts";

const EgressBody = z
  .object({
    days: z.array(
      z.object({
        day: z.string(),
        requests: z.int(),
        sent_bytes: z.int(),
        received_bytes: z.int(),
        unmeasured: z.int(),
      }),
    ),
  })
  .openapi("Egress");

const query = z.object({ days: digits(z.int().min(1).max(OWNER_DAYS)).default(30) });

const ofUser = createRoute({
  operationId: "getUserEgress",
  method: "get",
  path: "/users/{id}/egress",
  request: { params: UserId, query },
  responses: one(EgressBody),
});

const ofWorkspace = createRoute({
  operationId: "getWorkspaceEgress",
  method: "get",
  path: "/workspaces/{id}/egress",
  request: { params: WorkspaceId, query },
  responses: one(EgressBody),
});

export const egress = createRouter()
  .openapi(ofUser, async (c) => {
    const { days } = c.req.valid("query");
    const found = await egressOf(c.var.platform, c.req.valid("param").id, days);
    return c.json({ data: present(found) }, 200);
  })
  .openapi(ofWorkspace, async (c) => {
    const { days } = c.req.valid("query");
    const found = await egressOf(c.var.platform, c.req.valid("param").id, days);
    return c.json({ data: present(found) }, 200);
  });

function present(found: readonly DayEgress[]): z.input<typeof EgressBody> {
  const days = found.map(({ day, requests, sentBytes, receivedBytes, unmeasured }) => ({
    day,
    requests,
    sent_bytes: sentBytes,
    received_bytes: receivedBytes,
    unmeasured,
  }));
  return { days };
}
