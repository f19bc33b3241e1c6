import { type AgentUse, limitsOf, type QuotaHolder } from "#domain/agent-quotas.ts";
import { RequestError } from "#domain/errors.ts";
import { secondsLeft } from "#domain/rate-limits.ts";
import { log } from "#telemetry/log.ts";

import type { AgentContext } from "./context.ts";

/** Maximum subscriptions and refreshes by agents in ten seconds for one owner, and for a whole project. */
const SUBSCRIBES = { owner: 100, project: 1000 };

/** Count a run by an agent. Refuses it if its owner or project is over the quota. */
export function admitRun(agent: AgentContext): Promise<void> {
  return admitUse(agent, "runs", "run at most {limit} actions");
}

/** Count a poll of events. Refuses it if its owner or project is over the quota. */
export function admitPoll(agent: AgentContext): Promise<void> {
  return admitUse(agent, "polls", "make at most {limit} polls");
}

/** Count a subscription or a refresh. Refuses it if its owner or project is over the limit. */
export function admitSubscription(agent: AgentContext): Promise<void> {
  const may = "make or refresh at most {limit} subscriptions";
  return admit(agent, { use: "subscriptions", may, limits: SUBSCRIBES });
}

/** The name of the counter of a use: of an owner, or of a project. */
export function counterOf(use: AgentUse, holder: string): string {
  return `agent-${use} ${holder}`;
}

/** The holder of a quota in error messages. */
export function holderName(
  holder: QuotaHolder,
  { project }: Pick<AgentContext, "project">,
): string {
  if (holder === "project") return "project";
  return project ? "external user" : "owner";
}

function admitUse(
  agent: AgentContext,
  use: Exclude<AgentUse, "subscriptions">,
  may: string,
): Promise<void> {
  const limits = {
    owner: limitsOf("owner", agent.quotas)[use],
    project: limitsOf("project", agent.project?.project)[use],
  };
  return admit(agent, { use, may, limits, quota: `${use}_quota` });
}

/** A counted use. `may`: its limit in words; `quota`: the setting of the limit, if there is one. */
type Counted = {
  use: AgentUse;
  may: string;
  limits: Record<QuotaHolder, number>;
  quota?: string;
};

async function admit(agent: AgentContext, counted: Counted): Promise<void> {
  const { owner, project } = agent;
  await Promise.all([
    count(agent, { ...counted, holder: "owner", id: owner }),
    project && count(agent, { ...counted, holder: "project", id: project.project.id }),
  ]);
}

async function count(
  agent: AgentContext,
  { use, may, limits, quota, holder, id }: Counted & { holder: QuotaHolder; id: string },
): Promise<void> {
  const { countRequest, requestId: request_id } = agent;
  // An unreachable counter limits nobody.
  const window = await countRequest(counterOf(use, id)).catch((error: unknown) => {
    log("request_uncounted", { request_id, error });
  });
  const limit = limits[holder];
  if (!window || window.count <= limit) return;
  const of = holderName(holder, agent);
  const refused = `Agents may ${may.replace("{limit}", String(limit))} in 10 seconds for one ${of}`;
  const retry_after_seconds = secondsLeft(window, Date.now());
  const setting = quota === undefined ? {} : { quota, of };
  // No retry succeeds while the quota is 0.
  if (limit === 0) throw new RequestError("rate_limited", refused, { ...setting, limit });
  throw new RequestError("rate_limited", `${refused}: wait ${retry_after_seconds} s`, {
    ...setting,
    limit,
    retry_after_seconds,
  });
}
