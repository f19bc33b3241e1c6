import type { Id, OwnerId } from "./ids.ts";
import { cutFailure, type Failure } from "./invocation.ts";
import { fromJson, type Json } from "./json.ts";
import type { Values } from "./props.ts";

/** The trigger of a workflow, beside the events of emitters. */
export type WorkflowTrigger = {
  type: "none" | "http" | "timer";
  /** Key of its endpoint. It is kept while the workflow has another trigger. */
  endpointKey: string;
  /** Of a timer: `{cron, interval_seconds, timezone?}`. */
  schedule: Json;
};

/** A step as its author wrote it. One of the first three names the code that it runs. */
export type WorkflowStep = {
  name: string;
  codeHash?: string;
  componentId?: Id<"component">;
  key?: string;
  props: Values;
  account?: Id<"account">;
  retries?: StepRetries;
};

/** Number of stored versions of a workflow, the current one included. */
export const KEPT_VERSIONS = 100;

/** Maximum total characters of their plans; the current one is always kept. */
export const KEPT_PLAN_CHARACTERS = 20_000_000;

/** The maximum retries of a failed step, and their delay. */
export type StepRetries = { limit: number; delaySeconds: number };

/** Maximum duration of a run without a pause; a delay or a suspension restarts it (docs/contract.md: Deadlines). */
export const RUN_DEADLINE_MS = 300_000;

/** Maximum JSON that one step exports and returns: the engine stores 1 MiB per step, its own metadata included. */
export const MAX_STEP_BYTES = 1_000_000;

/** Maximum JSON that all steps of a run export and return. */
export const MAX_RUN_BYTES = 8 * 1024 * 1024;

/** The origin of the event that began a run. */
export type RunOrigin = {
  sourceType: "http" | "timer" | "source" | "workflow" | "manual";
  /** The emitter; null without one. */
  emitterId: string | null;
};

/** The context of a run's event (docs/contract.md: Records). */
export type TriggerContext = {
  id: string;
  ts: string;
  workflow_id: Id<"workflow">;
  deployment_id: Id<"deployment">;
  owner_id: OwnerId;
  source_type: RunOrigin["sourceType"];
  emitter_id: string | null;
  workflow_name: string;
  /** The first run on its event: its own id, unless it repeats that event. */
  trace_id: string;
  /** Whether it repeats the event of another run. */
  replay: boolean;
  verified: boolean;
  test: boolean;
  platform_version: string;
};

/** The context of a run of a deployment. `beganMs`: the arrival of its event. */
export function triggerContext(
  {
    id,
    beganMs,
    sourceType,
    emitterId,
    traceId,
  }: RunOrigin & { id: string; beganMs: number; traceId: string },
  deployment: {
    id: Id<"deployment">;
    workflowId: Id<"workflow">;
    ownerId: OwnerId;
    name: string;
  },
): TriggerContext {
  return {
    id,
    ts: new Date(beganMs).toISOString(),
    workflow_id: deployment.workflowId,
    deployment_id: deployment.id,
    owner_id: deployment.ownerId,
    source_type: sourceType,
    emitter_id: emitterId,
    workflow_name: deployment.name,
    trace_id: traceId,
    replay: traceId !== id,
    verified: false,
    test: false,
    platform_version: "1",
  };
}

/** The record in `$errors` (docs/contract.md: Records). `event` is JSON text. */
export function workflowErrorRecord(
  failure: Failure & { step: string | null },
  context: TriggerContext,
  { event, cellId, nowMs }: { event: string; cellId: string; nowMs: number },
): Json {
  const ts = new Date(nowMs).toISOString();
  const { step } = failure;
  const { name: code, message, stack } = cutFailure(failure);
  return {
    original_event: fromJson(event),
    original_context: context,
    error: { code, message, cellId, ts, stack, ...(step !== null && { step }) },
  };
}

/** Maximum pause: the engine waits at most a year. */
export const MAX_PAUSE_MS = 365 * 24 * 3600 * 1000;

/** Maximum messages that one run of a step sends. */
export const MAX_SIDE_EFFECTS = 100;

/** A pause of the run that a step requests; it starts when the step ends. */
export type Pause = {
  /** `delay`: continue after the time; `suspend`: cancel then; `rerun`: run the step again. */
  kind: "delay" | "suspend" | "rerun";
  ms: number;
  /** For `rerun`: JSON text of the context for the next run of the step. */
  context?: string;
};

/** States of a run until it ends, and its end states. */
export type RunState = "queued" | "running" | "waiting" | EndState;
export type EndState = "succeeded" | "failed" | "cancelled";
