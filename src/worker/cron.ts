import { queuesOf } from "#domain/queues.ts";
import { sweep } from "#services/maintenance/sweep.ts";
import { log } from "#telemetry/log.ts";
import { measure } from "#telemetry/metrics.ts";

import { openContext } from "./bindings.ts";

/** The scheduled sweep, logged and measured. Throws if a task failed, so that Cloudflare records the failure too. */
export async function sweepRegularly(env: Env): Promise<void> {
  const startMs = Date.now();
  const platform = openContext(env);
  const { requestId: request_id } = platform;
  let outcome = "failed";
  try {
    const swept = Object.entries(await sweep(platform));
    const failed = swept.flatMap(([part, count]) => (count === null ? [part] : []));
    if (failed.length > 0) throw new Error(`These tasks failed: ${failed.join(", ")}`);
    outcome = "succeeded";
  } catch (error) {
    log("sweep_failed", { request_id, error });
    throw error;
  } finally {
    const duration_ms = Date.now() - startMs;
    log("sweep_ended", { request_id, outcome, duration_ms });
    measure({ kind: "sweep", outcome, duration_ms });
    for (const [name, queue] of queuesOf(env)) await measureQueue(name, queue);
  }
}

/** Measure the backlog of a queue. If it cannot be read, no point is written. */
async function measureQueue(name: string, queue: Pick<Queue, "metrics">): Promise<void> {
  try {
    const {
      backlogCount: messages,
      backlogBytes: bytes,
      oldestMessageTimestamp: oldest,
    } = await queue.metrics();
    const age_ms = messages > 0 && oldest ? Math.max(0, Date.now() - Number(oldest)) : 0;
    measure({ kind: "queue", queue: name, age_ms, messages, bytes });
  } catch (error) {
    log("queue_unmeasured", { error });
  }
}
