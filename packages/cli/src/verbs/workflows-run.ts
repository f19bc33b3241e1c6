import { setTimeout as wait } from "node:timers/promises";

import type { Api } from "../api.ts";
import { Failure } from "../failure.ts";
import { jsonIn } from "../json-file.ts";
import { apiFor, type CommandOptions } from "../options.ts";
import { workflowNamed } from "../sources.ts";
import { during } from "../terminal/progress.ts";
import { isUnderWay, showRun, type WorkflowRun } from "../terminal/runs.ts";

const POLL_MS = 250;

/** Maximum time to wait for a run, which continues after that. */
const PATIENCE_MS = 60_000;

/** Run a workflow now, and show the outcome of each step. */
export async function runWorkflow(
  given: string,
  options: CommandOptions & { event?: string },
): Promise<void> {
  const api = await apiFor(options);
  const { id } = await workflowNamed(api, given);
  const body = options.event === undefined ? {} : { event: await jsonIn(options.event) };
  const run = await api.data<WorkflowRun>("POST", `/workflows/${id}/runs`, { body });
  await showWhenEnded(api, id, run, options);
}

/** Show a run once it has ended, or is paused. A failed run fails the command. */
export async function showWhenEnded(
  api: Api,
  workflow: string,
  begun: WorkflowRun,
  options: CommandOptions,
): Promise<void> {
  const untilMs = Date.now() + PATIENCE_MS;
  const run = await during("Running the workflow", async () => {
    let seen = begun;
    while (isUnderWay(seen) && Date.now() < untilMs) {
      await wait(POLL_MS);
      seen = await api.data("GET", `/workflows/${workflow}/runs/${begun.id}`);
    }
    return seen;
  });
  showRun(run, options);
  if (run.state === "failed") throw new Failure(`The run ${run.id} failed`);
}
