import { staleSources } from "#db/sources.ts";
import { log } from "#telemetry/log.ts";

import { checkAccountUses } from "../account-checks.ts";
import { sweepStashes } from "../actions/stash.ts";
import { endAgentSources } from "../agents/shared-sources/end.ts";
import { endAgentSubscriptions } from "../agents/subscriptions/sweep.ts";
import { endDepartures, forgetTriggers } from "../connect/departures.ts";
import { sendDueNotifications } from "../connect/notify.ts";
import { forgetTokens } from "../connect/tokens.ts";
import type { AppContext } from "../context.ts";
import { sweepImports } from "../registry-imports/run.ts";
import { indexRegistry } from "../registry.ts";
import { sweepScripts } from "../scripts.ts";
import { forgetSessions } from "../sessions/sessions.ts";
import { endChange } from "../sources/settle.ts";
import { CHANGE_LASTS_SECONDS } from "../sources/update.ts";
import { endUserDepartures } from "../user-departures.ts";
import { settleWorkflowCode } from "../workflows/code.ts";
import { correctAccountReads } from "./account-reads.ts";
import { keepAlarms } from "./alarms.ts";
import { clearCode } from "./code.ts";
import { deleteOrphans } from "./orphans.ts";
import { endRemovals } from "./removals.ts";
import { forgetUsage } from "./usage.ts";

/** Maximum sources that one sweep processes. The next one is a minute away. */
const SOURCES_A_SWEEP = 50;

/** The tasks of a sweep. Each does a bounded amount of work, and is idempotent, also concurrently. */
const PARTS = {
  // First, because it protects events: Cloudflare ends a cron trigger after 30 s of CPU, whatever the Worker's limit.
  alarms: keepAlarms,
  registry: indexRegistry,
  changes: sweepSources,
  users: endUserDepartures,
  departures: endDepartures,
  tokens: forgetTokens,
  sessions: forgetSessions,
  agent_subscriptions: endAgentSubscriptions,
  agent_sources: endAgentSources,
  triggers: forgetTriggers,
  stashes: sweepStashes,
  imports: sweepImports,
  removals: endRemovals,
  account_checks: checkAccountUses,
  account_reads: correctAccountReads,
  workflow_code: settleWorkflowCode,
  scripts: sweepScripts,
  code: clearCode,
  orphans: deleteOrphans,
  usage: forgetUsage,
  // Last, because it waits for receivers.
  notifications: sendDueNotifications,
} satisfies Record<string, (ctx: AppContext) => Promise<number>>;

/** The number of changes of each task; null: it failed, and the next sweep retries it. */
export type Swept = Record<string, number | null>;

/** Finish abandoned changes, and delete leftovers. A failed task stops no other. */
export async function sweep(ctx: AppContext): Promise<Swept> {
  const swept: Swept = {};
  for (const [part, work] of Object.entries(PARTS)) {
    const { requestId: request_id } = ctx;
    try {
      const count = await work(ctx);
      swept[part] = count;
      if (count > 0) log("sweep_part_ended", { request_id, part, count });
    } catch (error) {
      swept[part] = null;
      log("sweep_part_failed", { request_id, part, error });
    }
  }
  return swept;
}

/** End the changes of sources that a crash left open. Idempotent. */
async function sweepSources(
  ctx: Pick<AppContext, "db" | "now" | "owners" | "requestId" | "sources">,
): Promise<number> {
  const stale = await staleSources(ctx.db, ctx.now() - CHANGE_LASTS_SECONDS, SOURCES_A_SWEEP);
  let ended = 0;
  for (const source of stale) {
    try {
      await endChange(ctx, source);
      ended += 1;
    } catch (error) {
      log("source_unswept", { request_id: ctx.requestId, source_id: source.id, error });
    }
  }
  return ended;
}
