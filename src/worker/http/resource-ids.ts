import { z } from "@hono/zod-openapi";

import { idOf } from "./openapi.ts";

/** The id in the path of an operation on one resource. */
export const SourceId = z.object({ id: idOf("source", "dc_5d0") });
export const UserId = z.object({ id: idOf("user", "u_5d0") });
export const WebhookId = z.object({ id: idOf("webhook", "wh_5d0") });
export const WorkflowId = z.object({ id: idOf("workflow", "p_5d0") });
export const WorkspaceId = z.object({ id: idOf("workspace", "o_5d0") });
