import { z } from "@hono/zod-openapi";

import type { AppContext } from "#services/context.ts";
import type { WorkflowChange } from "#services/workflows/deploy.ts";
import type { WorkflowWithCode } from "#services/workflows/read.ts";

import { Flag, idOf, JsonObject } from "./openapi.ts";

const MAX_STEPS = 50;

/** The name of a step in expressions. */
const StepName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "must be letters, digits and _, and begin with no digit")
  .refine((name) => name !== "trigger" && name !== "__proto__", "is a reserved name");

const Retries = z.object({
  limit: z.int().min(0).max(20),
  delay_seconds: z.number().min(0).max(86_400).default(0),
});

const Step = z
  .object({
    name: StepName,
    component_code: z.string().min(1).nullish(),
    component_id: idOf("component", "sc_5d0").nullish(),
    key: z.string().min(1).nullish(),
    props: JsonObject.nullish(),
    account: idOf("account", "apn_5d0").nullish(),
    retries: Retries.nullish(),
  })
  .refine(
    ({ component_code, component_id, key }) =>
      [component_code, component_id, key].filter((one) => one !== null && one !== undefined)
        .length === 1,
    "needs exactly one of component_code, component_id and key",
  );

const Steps = z
  .array(Step)
  .min(1)
  .max(MAX_STEPS)
  .refine(
    (steps) => new Set(steps.map(({ name }) => name)).size === steps.length,
    "must have unique names",
  );

const Trigger = z.object({
  type: z.enum(["none", "http", "timer"]),
  cron: z.string().nullish(),
  interval_seconds: z.number().nullish(),
  timezone: z.string().nullish(),
});

const Name = z.string().trim().min(1).max(256);

/** Workflow files are sent unchanged, with the name of the schema for editors. */
const SchemaName = z.string().optional();

export const StepBody = z.object({
  name: z.string(),
  component_code: z.string().optional(),
  component_id: z.string().optional(),
  key: z.string().optional(),
  props: z.record(z.string(), z.any()),
  account: z.string().optional(),
  retries: z.object({ limit: z.int(), delay_seconds: z.number() }).optional(),
});

export const WorkflowBody = z
  .object({
    id: z.string(),
    deployment_id: z.string(),
    version: z.int(),
    owner_id: z.string(),
    name: z.string(),
    active: z.boolean(),
    trigger: z.object({
      type: z.enum(["none", "http", "timer"]),
      endpoint_url: z.string().optional(),
      cron: z.string().optional(),
      interval_seconds: z.int().optional(),
      timezone: z.string().optional(),
    }),
    steps: z.array(StepBody),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .openapi("Workflow");

/** The fields of a new workflow, without its owner. */
export const NewWorkflowFields = {
  $schema: SchemaName,
  name: Name,
  trigger: Trigger.default({ type: "none" }),
  steps: Steps,
  active: Flag.default(true),
};

/** The changeable fields of a workflow. Absent: unchanged. */
export const WorkflowChangeFields = {
  $schema: SchemaName,
  name: Name.nullish(),
  trigger: Trigger.nullish(),
  steps: Steps.nullish(),
  active: Flag.nullish(),
};

/** A new workflow for services. */
export function newWorkflowIn(fields: z.output<z.ZodObject<typeof NewWorkflowFields>>) {
  const { name, trigger, steps, active } = fields;
  return { name, active, trigger: triggerIn(trigger), steps: steps.map(stepIn) };
}

/** A change of a workflow for services. */
export function workflowChangeIn(
  fields: z.output<z.ZodObject<typeof WorkflowChangeFields>>,
): WorkflowChange {
  const { name, trigger, steps, active } = fields;
  return {
    name: name ?? undefined,
    active: active ?? undefined,
    trigger: trigger ? triggerIn(trigger) : undefined,
    steps: steps?.map(stepIn),
  };
}

/** A trigger for services. */
function triggerIn({ type, cron, interval_seconds, timezone }: z.output<typeof Trigger>) {
  const schedule = {
    cron: cron ?? null,
    interval_seconds: interval_seconds ?? null,
    timezone: timezone ?? null,
  };
  return { type, schedule };
}

/** A step for services. */
function stepIn({ name, ...given }: z.output<typeof Step>) {
  const { component_code, component_id, key, props, account, retries } = given;
  return {
    name,
    code: component_code ?? undefined,
    componentId: component_id ?? undefined,
    key: key ?? undefined,
    props: props ?? {},
    account: account ?? undefined,
    retries: retries ? { limit: retries.limit, delaySeconds: retries.delay_seconds } : undefined,
  };
}

/** A workflow with its original definition and its deployment. */
export function presentWorkflow(
  { origin }: AppContext,
  workflow: WorkflowWithCode,
): z.input<typeof WorkflowBody> {
  const { type, endpointKey, schedule } = workflow.trigger;
  return {
    id: workflow.id,
    deployment_id: workflow.deploymentId,
    version: workflow.version,
    owner_id: workflow.ownerId,
    name: workflow.name,
    active: workflow.active,
    trigger: {
      type,
      ...(type === "http" && { endpoint_url: `${origin}/e/${endpointKey}` }),
      ...shownSchedule(schedule),
    },
    steps: workflow.steps.map(presentStep),
    created_at: workflow.createdAt,
    updated_at: workflow.updatedAt,
  };
}

export function shownSchedule(schedule: WorkflowWithCode["trigger"]["schedule"]) {
  if (typeof schedule !== "object" || schedule === null) return {};
  return Object.fromEntries(Object.entries(schedule).filter(([, value]) => value !== null));
}

export function presentStep(step: WorkflowWithCode["steps"][number]) {
  const { name, code, componentId, key, props, account, retries } = step;
  return {
    name,
    ...(code !== undefined && { component_code: code }),
    ...(componentId && { component_id: componentId }),
    ...(key !== undefined && { key }),
    props,
    ...(account && { account }),
    ...(retries && { retries: { limit: retries.limit, delay_seconds: retries.delaySeconds } }),
  };
}
