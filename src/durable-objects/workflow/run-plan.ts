import type { RunPlan, WorkflowDeployment } from "./contract.ts";
import { contextOf } from "./run-events.ts";
import type { RunRow } from "./run-rows.ts";

/** The plan by which the engine executes a run. */
export function runPlanOf(run: RunRow, deployment: WorkflowDeployment): RunPlan {
  const { event, secret, hops, budget, request_id, carried } = run;
  return {
    deployment,
    event,
    context: contextOf(run, deployment),
    secret,
    hops,
    ...(budget !== null && { budget }),
    requestId: request_id ?? undefined,
    carried,
  };
}
