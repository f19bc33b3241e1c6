import { countAgentSubscriptions, type HeldSubscriptions } from "#db/agent-quotas.ts";
import { limitsOf, type QuotaHolder } from "#domain/agent-quotas.ts";
import { RequestError } from "#domain/errors.ts";

import { holderName } from "../admission.ts";
import type { AgentContext } from "../context.ts";

/** Refuse another subscription if its owner or project has as many as its quota allows. */
export async function requireRoom(agent: AgentContext): Promise<void> {
  const { db, owner, project } = agent;
  const held = await countAgentSubscriptions(db, owner, project?.project.id);
  refuseFull(agent, "owner", held.owner);
  if (project) refuseFull(agent, "project", held.project);
}

function refuseFull(
  agent: AgentContext,
  holder: QuotaHolder,
  { count, firstExpiry }: HeldSubscriptions,
): void {
  const quotas = holder === "owner" ? agent.quotas : agent.project?.project;
  const { subscriptions: limit } = limitsOf(holder, quotas);
  if (count < limit) return;
  const of = holderName(holder, agent);
  const refused = `Agents may have at most ${limit} subscriptions for one ${of}`;
  const details = { quota: "subscriptions_quota", of, limit };
  if (limit === 0 || firstExpiry === null)
    throw new RequestError("quota_exceeded", refused, details);
  const retry_after_seconds = Math.max(1, firstExpiry - agent.now());
  const hint = `end one, or wait ${retry_after_seconds} s until one expires`;
  throw new RequestError("quota_exceeded", `${refused}: ${hint}`, {
    ...details,
    retry_after_seconds,
  });
}
