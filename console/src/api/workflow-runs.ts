import { v1 } from "./v1.ts";

/** Ends the pause of a run. Its next step reads `data` as `$resume_data`. */
export function resumeRun(workflowId: string, runId: string, data: unknown): Promise<unknown> {
  const body = data === undefined ? {} : { data };
  return v1(`/workflows/${workflowId}/runs/${runId}/resume`, { method: "POST", body });
}

/** Ends a run that waits, or that did not begin. */
export function cancelRun(workflowId: string, runId: string): Promise<unknown> {
  return v1(`/workflows/${workflowId}/runs/${runId}/cancel`, { method: "POST", body: {} });
}
