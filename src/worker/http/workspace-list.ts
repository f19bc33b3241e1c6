import { createRoute, type z } from "@hono/zod-openapi";

import { many } from "./openapi.ts";
import { WorkspaceId } from "./resource-ids.ts";

/** The contract of the list of a workspace's resources, such as `/workspaces/{id}/sources`. */
export function workspaceList<
  const Name extends string,
  const Path extends string,
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(operationId: Name, resources: Path, { query, body }: { query: Query; body: Body }) {
  return createRoute({
    operationId,
    method: "get",
    path: `/workspaces/{id}/${resources}` as const,
    request: { params: WorkspaceId, query },
    responses: many(body),
  });
}
