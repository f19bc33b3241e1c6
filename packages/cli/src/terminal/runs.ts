import { color, json, line, timeOf } from "./output.ts";

/** A run of a workflow, with its steps if it is read individually. */
export type WorkflowRun = {
  id: string;
  state: "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled";
  version: number | null;
  queued_at_ms: number;
  started_at_ms: number | null;
  ended_at_ms: number | null;
  error: StepFailure | null;
  steps?: { name: string; state: string; error: StepFailure | null }[];
};

type StepFailure = { code: string; message: string };

/** Write a run with the outcome of each step. */
export function showRun(run: WorkflowRun, options: { json?: boolean }): void {
  if (options.json) return json(run);
  line(summaryOf(run));
  for (const { name, state, error } of run.steps ?? [])
    line(`  ${name}  ${state}${error ? color.red(`  ${error.code}: ${error.message}`) : ""}`);
}

/** A run on one line. */
export function summaryOf({ id, state, ...times }: WorkflowRun): string {
  const { queued_at_ms: queuedMs, started_at_ms: beganMs, ended_at_ms: endedMs } = times;
  const took = beganMs === null || endedMs === null ? "" : `  ${endedMs - beganMs} ms`;
  return `${id}  ${state}  ${timeOf(queuedMs)}${took}`;
}

/** Whether a run has not ended. */
export function isUnderWay({ state }: WorkflowRun): boolean {
  return state === "queued" || state === "running";
}
