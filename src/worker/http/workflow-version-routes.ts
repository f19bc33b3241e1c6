import { createRoute, z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";

import type { ActorId } from "#domain/ids.ts";
import type { AppContext } from "#services/context.ts";
import { withCode } from "#services/workflows/read.ts";
import {
  diffVersions,
  getVersion,
  listVersions,
  restoreVersion,
  type VersionSummary,
  type WorkflowVersion,
} from "#services/workflows/versions.ts";

import type { AppEnv } from "./env.ts";
import { conflict, createRouter, digits, many, one, PageQuery } from "./openapi.ts";
import { openPage, pageBody } from "./pages.ts";
import { WorkflowId } from "./resource-ids.ts";
import {
  presentStep,
  presentWorkflow,
  shownSchedule,
  StepBody,
  WorkflowBody,
} from "./workflow-body.ts";

/** The caller: a user, who sees the user's own workflows, or the operator (undefined), who sees all. */
export type VersionCaller = { ctx: AppContext; user: ActorId | undefined };

const Version = digits(z.int().min(1).max(Number.MAX_SAFE_INTEGER));
const WorkflowVersionId = WorkflowId.extend({ version: Version });

const SummaryBody = z
  .object({
    workflow_id: z.string(),
    version: z.int(),
    name: z.string(),
    user_id: z.string().nullable(),
    restored_from: z.int().nullable(),
    created_at: z.int(),
  })
  .openapi("WorkflowVersionSummary");

const VersionBody = SummaryBody.extend({
  trigger: z.object({
    type: z.enum(["none", "http", "timer"]),
    cron: z.string().optional(),
    interval_seconds: z.int().optional(),
    timezone: z.string().optional(),
  }),
  steps: z.array(StepBody),
}).openapi("WorkflowVersion");

const DiffBody = z
  .object({
    from: z.int(),
    to: z.int(),
    diff: z.string(),
    omitted: z.array(z.string()),
  })
  .openapi("WorkflowDiff");

const list = createRoute({
  operationId: "listWorkflowVersions",
  method: "get",
  path: "/workflows/{id}/versions",
  description: "The newest 100 versions are kept.",
  request: { params: WorkflowId, query: PageQuery },
  responses: many(SummaryBody),
});

const read = createRoute({
  operationId: "getWorkflowVersion",
  method: "get",
  path: "/workflows/{id}/versions/{version}",
  description: "The definition as it was sent, without secrets.",
  request: { params: WorkflowVersionId },
  responses: one(VersionBody),
});

const restore = createRoute({
  operationId: "restoreWorkflowVersion",
  method: "post",
  path: "/workflows/{id}/versions/{version}/restore",
  description:
    "Deploys the definition of a version as a new version, with its code and secrets. An inactive workflow stays inactive.",
  request: { params: WorkflowVersionId },
  responses: one(WorkflowBody, conflict),
});

const diff = createRoute({
  operationId: "diffWorkflowVersions",
  method: "get",
  path: "/workflows/{id}/diff",
  request: { params: WorkflowId, query: z.object({ from: Version, to: Version }) },
  responses: one(DiffBody),
});

/** The operations on versions of workflows, the same for users and the operator. */
export function workflowVersionRoutes(callerOf: (c: HonoContext<AppEnv>) => VersionCaller) {
  return createRouter()
    .openapi(list, async (c) => {
      const { ctx, user } = callerOf(c);
      const { id } = c.req.valid("param");
      const page = await listVersions(ctx, { id, user }, await openPage(c, c.req.valid("query")));
      const items = page.items.map((version) => ({ ...version, seq: version.version }));
      return c.json(await pageBody(c, { ...page, items }, presentSummary), 200);
    })
    .openapi(read, async (c) => {
      const { ctx, user } = callerOf(c);
      const { id, version } = c.req.valid("param");
      return c.json({ data: presentVersion(await getVersion(ctx, { id, user }, version)) }, 200);
    })
    .openapi(restore, async (c) => {
      const { ctx, user } = callerOf(c);
      const { id, version } = c.req.valid("param");
      const workflow = await restoreVersion(ctx, { id, user }, version);
      return c.json({ data: presentWorkflow(ctx, await withCode(ctx, workflow)) }, 200);
    })
    .openapi(diff, async (c) => {
      const { ctx, user } = callerOf(c);
      const { id } = c.req.valid("param");
      const named = c.req.valid("query");
      return c.json({ data: { ...named, ...(await diffVersions(ctx, { id, user }, named)) } }, 200);
    });
}

function presentSummary(version: VersionSummary): z.input<typeof SummaryBody> {
  return {
    workflow_id: version.workflowId,
    version: version.version,
    name: version.name,
    user_id: version.userId,
    restored_from: version.restoredFrom,
    created_at: version.createdAt,
  };
}

function presentVersion(version: WorkflowVersion): z.input<typeof VersionBody> {
  const { type, schedule } = version.trigger;
  return {
    ...presentSummary(version),
    trigger: { type, ...shownSchedule(schedule) },
    steps: version.steps.map(presentStep),
  };
}
