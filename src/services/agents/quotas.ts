import * as store from "#db/agent-quotas.ts";
import { externalUserOf } from "#db/connect/external-users.ts";
import { type AgentQuotas, limitsOf, lowerOf, type UseCounts } from "#domain/agent-quotas.ts";
import { notFound, RequestError } from "#domain/errors.ts";
import type { Id } from "#domain/ids.ts";

import type { ProjectContext } from "../connect/context.ts";
import type { AppContext } from "../context.ts";
import { counterOf } from "./admission.ts";

export type { AgentQuotas } from "#domain/agent-quotas.ts";

/** The quotas of agents as they were set, the resulting limits, and the current use. */
export type AgentQuotasReport = AgentQuotas & { limits: UseCounts; used: UseCounts };

type ReportContext = Pick<AppContext, "countedRequests" | "db">;

/** The quotas of the agents of all external users of a project together. */
export async function readAgentQuotasOfProject(
  ctx: ReportContext,
  id: Id<"project">,
): Promise<AgentQuotasReport> {
  const quotas = await store.agentQuotasOfProject(ctx.db, id);
  if (!quotas) throw notFound("project", id);
  return reportOfProject(ctx, id, quotas);
}

/** Change some quotas of a project's agents; null: the default. They apply to the next request of an agent. */
export async function setAgentQuotasOfProject(
  ctx: Pick<AppContext, "now"> & ReportContext,
  id: Id<"project">,
  change: Partial<AgentQuotas>,
): Promise<AgentQuotasReport> {
  const quotas = await store.updateAgentQuotasOfProject(ctx.db, { id, at: ctx.now() }, change);
  if (!quotas) throw notFound("project", id);
  return reportOfProject(ctx, id, quotas);
}

/** The quotas of the agents of one external user. The limits are those of the project, where they are lower. */
export async function readAgentQuotasOfUser(
  ctx: ProjectContext,
  externalId: string,
): Promise<AgentQuotasReport> {
  const { db, project, environment } = ctx;
  const user = await externalUserOf(db, { project: project.id, environment }, externalId);
  if (!user) throw unknownUser(externalId);
  return reportOfUser(ctx, user);
}

/** Change some quotas of an external user's agents; null: the default. They apply to the next request of an agent. */
export async function setAgentQuotasOfUser(
  ctx: ProjectContext,
  externalId: string,
  change: Partial<AgentQuotas>,
): Promise<AgentQuotasReport> {
  const { db, project, environment } = ctx;
  const place = { project: project.id, environment, externalId, at: ctx.now() };
  const user = await store.updateAgentQuotasOfUser(db, place, change);
  if (!user) throw unknownUser(externalId);
  return reportOfUser(ctx, user);
}

async function reportOfProject(
  ctx: ReportContext,
  id: Id<"project">,
  quotas: AgentQuotas,
): Promise<AgentQuotasReport> {
  const held = await store.countAgentSubscriptions(ctx.db, undefined, id);
  return {
    ...quotas,
    limits: limitsOf("project", quotas),
    used: await usedBy(ctx, id, held.project.count),
  };
}

async function reportOfUser(
  ctx: ProjectContext,
  user: AgentQuotas & { id: Id<"external_user"> },
): Promise<AgentQuotasReport> {
  const held = await store.countAgentSubscriptions(ctx.db, user.id, undefined);
  return {
    ...user,
    limits: lowerOf(limitsOf("owner", user), limitsOf("project", ctx.project)),
    used: await usedBy(ctx, user.id, held.owner.count),
  };
}

/** The use of an owner or a project: polls and runs are those of the current window of ten seconds. */
async function usedBy(
  { countedRequests }: Pick<AppContext, "countedRequests">,
  holder: string,
  subscriptions: number,
): Promise<UseCounts> {
  const [polls, runs] = await Promise.all([
    countedRequests(counterOf("polls", holder)),
    countedRequests(counterOf("runs", holder)),
  ]);
  return { subscriptions, polls, runs };
}

function unknownUser(externalId: string): RequestError {
  return new RequestError("not_found", `No external user with id ${externalId}`);
}
