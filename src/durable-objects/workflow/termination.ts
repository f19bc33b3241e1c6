import { log } from "#telemetry/log.ts";

import { instanceId } from "./starter.ts";
import type { WiredWorkflow } from "./wiring.ts";

/** How many instances are ended at once. */
const AT_ONCE = 20;

/** End every run that the engine is busy with and delete all instances. A run that has ended meanwhile, or was never begun, is no failure. */
export async function terminateAll({
  runs,
  ended,
  engine,
  workflowId,
}: WiredWorkflow): Promise<void> {
  const unfinished = runs.unfinished();
  const ids = [...unfinished];
  const end = async (runId: string): Promise<void> => {
    try {
      const instance = await engine.get(instanceId(workflowId, runId));
      await instance.terminate();
    } catch (error) {
      log("run_unterminated", { workflow_id: workflowId, run_id: runId, error });
    }
  };
  while (ids.length > 0) await Promise.all(ids.splice(0, AT_ONCE).map(end));
  await ended.deleteWith(unfinished);
}
