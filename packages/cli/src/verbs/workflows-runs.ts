import { apiFor, type CommandOptions } from "../options.ts";
import { workflowNamed } from "../sources.ts";
import { json, line } from "../terminal/output.ts";
import { showRun, summaryOf, type WorkflowRun } from "../terminal/runs.ts";

/** List the runs of a workflow, or show one with its steps. */
export async function workflowRuns(
  given: string,
  runId: string | undefined,
  options: CommandOptions & { limit: number },
): Promise<void> {
  const api = await apiFor(options);
  const { id } = await workflowNamed(api, given);
  const path = `/workflows/${id}/runs`;
  if (runId !== undefined) {
    const run = await api.data<WorkflowRun>("GET", `${path}/${encodeURIComponent(runId)}`);
    return showRun(run, options);
  }
  const runs: WorkflowRun[] = [];
  for await (const run of api.rows<WorkflowRun>(path, {}, options.limit)) runs.push(run);
  if (options.json) return json(runs);
  for (const run of runs) line(summaryOf(run));
}
