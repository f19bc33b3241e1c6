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
  steps?: RunStep[];
};

type StepFailure = { code: string; message: string; stack: string };

type RunStep = {
  name: string;
  state: string;
  error: StepFailure | null;
  exports: Record<string, unknown>;
  logs: { level: string; message: string }[];
};

/** Write a run with the outcome of each step. */
export function showRun(run: WorkflowRun, options: { json?: boolean }): void {
  if (options.json) return json(run);
  line(summaryOf(run));
  for (const step of run.steps ?? []) for (const text of linesOf(step)) line(text);
}

/** A step with its log lines, its exports, and the place of its error. */
function linesOf({ name, state, error, exports, logs }: RunStep): string[] {
  const frame = /^\s+(at .*)$/m.exec(error?.stack ?? "")?.[1];
  const details = [
    ...(frame === undefined ? [] : [frame]),
    ...logs.map(({ level, message }) => `${level}  ${message}`),
    ...Object.entries(exports).map(([key, value]) => `${key}  ${JSON.stringify(value)}`),
  ];
  return [
    `  ${name}  ${state}${error ? color.red(`  ${error.code}: ${error.message}`) : ""}`,
    ...details.map((detail) => color.dim(`      ${detail.replaceAll("\n", "\n      ")}`)),
  ];
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
