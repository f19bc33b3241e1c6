import * as store from "#db/agent-sources.ts";
import { noteTrigger } from "#db/connect/deployed-triggers.ts";
import { RequestError } from "#domain/errors.ts";
import { type Id, newId } from "#domain/ids.ts";
import { additionalProps } from "#domain/props.ts";
import { slugOf } from "#domain/slug.ts";
import { log } from "#telemetry/log.ts";

import { createSource } from "../../sources/create.ts";
import { admitConfiguration } from "../actions.ts";
import { namingArguments } from "../argument-names.ts";
import type { AgentContext } from "../context.ts";
import { type ConfiguredComponent, type EventType, refuseSecrets } from "../event-types.ts";
import { endAgentSource } from "./end.ts";
import { sharingKey } from "./key.ts";

/** Maximum sources that agents deploy for an owner, and for all external users of a project together. */
const MAX_SOURCES = { owner: 100, project: 1000 };

/** Time for which a source keeps its key before it is deployed, without a report, and the interval of reports. */
const CLAIM_SECONDS = 20;
const REPORT_MS = 5000;

/** Maximum time that a request waits for the deployment of another request: longer than a claim lasts. */
const MAX_WAIT_MS = 30_000;

/** First and maximum delay between two checks, in milliseconds. */
const LOOK_MS = { first: 50, most: 1000 };

/**
 * Seconds for which a poll keeps a source, and the rest below which a poll extends them: more than the hour of a
 * stream.
 */
const POLLED_SECONDS = { kept: 7200, extendedBelow: 3700 };

/** The source of an event type. `sinceMs`: the time of its creation; 0 if it is not shared. */
export type EventSource = { id: Id<"source">; sinceMs: number; isShared: boolean };

/** Whether a subscription keeps the source, or polls keep it for some time. */
export type Use = "polls" | "subscription";

/**
 * The source of an event type. For a component, the one that the owner's agents share, if its version and all values
 * are equal, accounts included; else it is deployed. Where several requests find none at once, one deploys it and the
 * others wait.
 */
export async function sourceOfType(
  agent: AgentContext,
  { source, configured }: EventType,
  use: Use,
): Promise<EventSource> {
  if (!configured) return { id: source, sinceMs: 0, isShared: false };
  const key = await sharingKey(agent, configured);
  const untilMs = Date.now() + MAX_WAIT_MS;
  for (let waitMs = LOOK_MS.first; ; waitMs = Math.min(waitMs * 2, LOOK_MS.most)) {
    const found = await findOrDeploy(agent, { configured, key, use });
    if (found && (use !== "polls" || (await keepForPolls(agent, found))))
      return { id: found.sourceId, sinceMs: found.createdAt * 1000, isShared: true };
    if (Date.now() > untilMs) throw new RequestError("conflict", STILL_DEPLOYING);
    await scheduler.wait(waitMs);
  }
}

const STILL_DEPLOYING = "The source of this event type is still being deployed: try again";

type Wanted = { configured: ConfiguredComponent; key: string; use: Use };

/** Undefined: another request is deploying it, or has just ended it. */
async function findOrDeploy(
  agent: AgentContext,
  wanted: Wanted,
): Promise<store.KeyedSource | undefined> {
  const staleBefore = agent.now() - CLAIM_SECONDS;
  const known = await store.agentSourceByKey(agent.db, wanted.key);
  if (known?.isLive) return known;
  if (known && known.claimedAt > staleBefore) return undefined;
  if (!known) await requireRoom(agent);
  const row = newRow(agent, wanted);
  const holder = await store.claimAgentSource(agent.db, row, staleBefore);
  const isOwn = holder.sourceId === row.sourceId;
  const found = isOwn ? await deploy(agent, wanted.configured, holder) : holder;
  return found.isLive ? found : undefined;
}

function newRow(
  agent: AgentContext,
  { key, use }: Wanted,
): Parameters<typeof store.claimAgentSource>[1] {
  const at = agent.now();
  return {
    sourceId: newId("source"),
    ownerId: agent.owner,
    projectId: agent.project?.project.id ?? null,
    key,
    claimedAt: at,
    polledUntil: use === "polls" ? at + POLLED_SECONDS.kept : 0,
    createdAt: at,
  };
}

/** Deploy a source that has its key. Not live: the deployment took too long, and another source has the key now. */
async function deploy(
  agent: AgentContext,
  configured: ConfiguredComponent,
  claimed: store.KeyedSource,
): Promise<store.KeyedSource> {
  const { sourceId: id } = claimed;
  const released = { sourceId: id, ownerId: agent.owner };
  try {
    await reporting(agent, id, () =>
      namingArguments("arguments", () => create(agent, configured, id)),
    );
  } catch (error) {
    await store.dropKey(agent.db, id);
    await endAgentSource(agent, released);
    throw error;
  }
  const isLive = await store.renewClaim(agent.db, id, agent.now());
  if (!isLive) await endAgentSource(agent, released);
  return { ...claimed, isLive };
}

async function create(
  agent: AgentContext,
  { component, values }: ConfiguredComponent,
  id: Id<"source">,
): Promise<void> {
  const { project } = agent;
  // A customer sees all triggers of the project's users, those of agents included.
  if (project)
    await noteTrigger(agent.db, {
      sourceId: id,
      componentKey: component.key,
      emitOnDeploy: false,
      webhookId: null,
      createdAt: agent.now(),
      projectId: project.project.id,
      environment: project.environment,
    });
  const declared = component.definition.props;
  await createSource(agent, {
    id,
    componentId: component.id,
    name: `${slugOf(component.name)}-for-agents`,
    configuredProps: values,
    workspace: agent.workspace,
    // Its events begin with the subscription, after those of the hook.
    emitOnDeploy: false,
    admit: (configuration) => {
      admitConfiguration(agent, configuration);
      refuseSecrets({ ...configuration, props: additionalProps(declared, configuration.props) });
    },
  });
}

/** Renew the claim of a source regularly during its deployment, so that it keeps its key. */
async function reporting(
  { db, now, requestId: request_id }: AgentContext,
  source_id: Id<"source">,
  deploying: () => Promise<void>,
): Promise<void> {
  const timer = setInterval(() => {
    store.renewClaim(db, source_id, now()).catch((error: unknown) => {
      log("source_untold", { request_id, source_id, error });
    });
  }, REPORT_MS);
  try {
    await deploying();
  } finally {
    clearInterval(timer);
  }
}

/** Keep a source for polls. False: it was just ended. */
async function keepForPolls(
  { db, now }: AgentContext,
  { sourceId, polledUntil }: store.KeyedSource,
): Promise<boolean> {
  if (polledUntil > now() + POLLED_SECONDS.extendedBelow) return true;
  return store.keepForPolls(db, sourceId, now() + POLLED_SECONDS.kept);
}

async function requireRoom({ db, owner, project }: AgentContext): Promise<void> {
  const counted = await store.countAgentSources(db, owner, project?.project.id);
  for (const whose of ["owner", "project"] as const) {
    const max = MAX_SOURCES[whose];
    if (counted[whose] < max) continue;
    const message = `Agents may have at most ${max} sources deployed for one ${whose}`;
    throw new RequestError("quota_exceeded", message, { limit: "sources", max });
  }
}
