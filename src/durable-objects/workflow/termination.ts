import { log } from "#telemetry/log.ts";

import { instanceId } from "./starter.ts";
import type { WiredWorkflow } from "./wiring.ts";

/** Maximum concurrent terminations of instances. */
const AT_ONCE = 20;

/**
 * Terminate every run that is under way in the engine and delete all instances. A run that has ended meanwhile, or
 * never began, is no failure.
 */
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
