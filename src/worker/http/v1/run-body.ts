import { z } from "@hono/zod-openapi";
import type { Context } from "hono";

import type { StepExecution, RunRead, RunSummary } from "#services/workflows/runs.ts";

import type { AppEnv, FieldSelection } from "../env.ts";
import { select } from "../fields.ts";
import { jsonStream } from "../json-stream.ts";

const Failure = z.object({ code: z.string(), message: z.string(), stack: z.string() });

export const RunBody = z
  .object({
    id: z.string(),
    deployment_id: z.string(),
    version: z.int().nullable(),
    state: z.enum(["queued", "running", "waiting", "succeeded", "failed", "cancelled"]),
    source_type: z.enum(["http", "timer", "source", "workflow", "manual"]),
    emitter_id: z.string().nullable(),
    queued_at_ms: z.int(),
    started_at_ms: z.int().nullable(),
    ended_at_ms: z.int().nullable(),
    exit_reason: z.string().nullable(),
    error: Failure.nullable(),
    rerun_of: z.string().nullable(),
  })
  .openapi("WorkflowRun");

const StepBody = z.object({
  name: z.string(),
  state: z.enum(["succeeded", "failed"]),
  pause: z.enum(["delay", "suspend", "rerun"]).nullable(),
  input: z.record(z.string(), z.any()),
  input_truncated: z.boolean(),
  started_at_ms: z.int(),
  ended_at_ms: z.int(),
  exports: z.record(z.string(), z.any()),
  logs: z.array(z.object({ level: z.string(), message: z.string(), ts: z.int() })),
  messages: z.array(
    z.object({
      kind: z.enum(["http", "email"]),
      target: z.string(),
      state: z.enum(["pending", "sent", "failed"]),
      attempts: z.int(),
      error: z.string().nullable(),
    }),
  ),
  error: Failure.nullable(),
  reused: z.boolean(),
});

export const RunDetailsBody = RunBody.extend({ event: z.any(), steps: z.array(StepBody) }).openapi(
  "RunDetails",
);

/**
 * Respond with a run and its steps. The rest after the first call is read and sent in pieces: the logs of many steps
 * exceed an isolate's memory.
 */
export function respondWithRun(c: Context<AppEnv>, run: RunRead) {
  if (run.next !== null) return jsonStream(c, piecesOf(run, c.var.fields));
  return c.json({ data: { ...presentHead(run), steps: run.executions.map(presentStep) } }, 200);
}

async function* piecesOf(run: RunRead, fields: FieldSelection): AsyncGenerator<string, void> {
  const head = JSON.stringify(select(presentHead(run), fields)).slice(1, -1);
  const hasSteps = Object.keys(select({ steps: [] }, fields) ?? {}).length > 0;
  yield `{"data":{${head}`;
  if (hasSteps) {
    yield `${head === "" ? "" : ","}"steps":[`;
    let separator = "";
    for await (const execution of executionsIn(run)) {
      yield separator + JSON.stringify(presentStep(execution));
      separator = ",";
    }
    yield "]";
  }
  yield "}}";
}

/** All executions of a run, read as they are consumed. */
async function* executionsIn({ read, ...run }: RunRead): AsyncGenerator<StepExecution> {
  let part: Pick<RunRead, "executions" | "next"> = run;
  for (;;) {
    yield* part.executions;
    if (part.next === null) return;
    part = await read(part.next);
  }
}

function presentHead(run: RunRead) {
  return { ...presentRun(run), event: JSON.parse(run.event) };
}

/** A run without its steps. */
export function presentRun(run: RunSummary): z.input<typeof RunBody> {
  return {
    id: run.id,
    deployment_id: run.deploymentId,
    version: run.version,
    state: run.state,
    source_type: run.sourceType,
    emitter_id: run.emitterId,
    queued_at_ms: run.queuedMs,
    started_at_ms: run.startedMs,
    ended_at_ms: run.endedMs,
    exit_reason: run.exitReason,
    error: presentFailure(run.failure),
    rerun_of: run.rerunOf,
  };
}

function presentStep(execution: StepExecution): z.input<typeof StepBody> {
  const { name, failure, pause, input, startedMs, endedMs, exports, logs, isCarried } = execution;
  return {
    name,
    state: failure ? "failed" : "succeeded",
    pause,
    input: JSON.parse(input.values),
    input_truncated: input.isTruncated,
    started_at_ms: startedMs,
    ended_at_ms: endedMs,
    exports: JSON.parse(exports),
    messages: execution.messages,
    logs: logs.map(({ level, message, atMs }) => ({ level, message, ts: atMs })),
    error: presentFailure(failure),
    reused: isCarried,
  };
}

function presentFailure(failure: RunSummary["failure"]): z.input<typeof Failure> | null {
  return failure && { code: failure.name, message: failure.message, stack: failure.stack };
}
