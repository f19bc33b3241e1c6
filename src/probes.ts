import { answers, connect } from "./db/client.ts";
import { probeLoader } from "./sandbox/probe.ts";
import type { Probes } from "./services/health.ts";

/** The object of each class that is asked whether objects answer. It holds nothing. */
const PROBED = "health";

/** One question for each thing that this deployment is bound to; each throws, or never ends, where that is out of order. */
export function probesOf(env: Env): Probes {
  return {
    database: () => answers(connect(env.DB)),
    code_store: () => env.CODE.head("health"),
    queue: () => env.EMISSIONS.metrics(),
    sources: () => env.SOURCES.getByName(PROBED).current(),
    webhooks: () => env.WEBHOOKS.getByName(PROBED).deliveries({ limit: 1 }),
    workflows: () => env.WORKFLOWS.getByName(PROBED).current(),
    data_stores: () => env.DATA_STORES.getByName(PROBED).size(),
    user_code: () => probeLoader(env.LOADER),
  };
}
