import { apiFor, type CommandOptions } from "../options.ts";
import { workflowNamed } from "../sources.ts";
import type { WorkflowRun } from "../terminal/runs.ts";
import { showWhenEnded } from "./workflows-run.ts";

/** Repeat a run of a workflow on its event, and show the outcome of each step. */
export async function rerunWorkflow(
  given: string,
  runId: string,
  options: CommandOptions & { fromStep?: string },
): Promise<void> {
  const api = await apiFor(options);
  const { id } = await workflowNamed(api, given);
  const body = options.fromStep === undefined ? {} : { from_step: options.fromStep };
  const path = `/workflows/${id}/runs/${encodeURIComponent(runId)}/rerun`;
  const run = await api.data<WorkflowRun>("POST", path, { body });
  await showWhenEnded(api, id, run, options);
}
