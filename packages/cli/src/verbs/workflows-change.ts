import { apiFor, type CommandOptions } from "../options.ts";
import { workflowNamed } from "../sources.ts";
import { json, line } from "../terminal/output.ts";
import type { Workflow } from "../wire.ts";

/** Activate or deactivate a workflow. */
export async function activateWorkflow(
  given: string,
  active: boolean,
  options: CommandOptions,
): Promise<void> {
  const api = await apiFor(options);
  const { id } = await workflowNamed(api, given);
  const workflow = await api.data<Workflow>("PUT", `/workflows/${id}`, { body: { active } });
  if (options.json) return json(workflow);
  line(`${active ? "Resumed" : "Paused"} ${workflow.name}  ${workflow.id}`);
}

/** Delete a workflow with its runs and versions. */
export async function deleteWorkflow(given: string, options: CommandOptions): Promise<void> {
  const api = await apiFor(options);
  const { id, name } = await workflowNamed(api, given);
  await api.request("DELETE", `/workflows/${id}`);
  if (options.json) return json({ id, deleted: true });
  line(`Deleted ${name}  ${id}`);
}
