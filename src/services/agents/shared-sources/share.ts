import * as store from "#db/agent-sources.ts";
import { noteTrigger } from "#db/connect/deployed-triggers.ts";
import { RequestError } from "#domain/errors.ts";
import { type Id, newId } from "#domain/ids.ts";
import { additionalProps } from "#domain/props.ts";
import { slugOf } from "#domain/slug.ts";
import { log } from "#telemetry/log.ts";

import { createSource } from "../../sources/create.ts";
import { admitConfiguration } from "../actions.ts";
import type { AgentContext } from "../context.ts";
import {
  type ConfiguredComponent,
  type EventType,
  namingArguments,
  refuseSecrets,
} from "../event-types.ts";
import { endAgentSource } from "./end.ts";
import { sharingKey } from "./key.ts";

/** How many sources agents may have deployed for an owner, and for all external users of a project together. */
const MAX_SOURCES = { owner: 100, project: 1000 };

/** How long a source that is not deployed yet keeps its key without a report, and how often its request reports. */
const CLAIM_SECONDS = 20;
const REPORT_MS = 5000;

/** How long a request waits for the deployment that another one began: longer than a claim lasts. */
const MAX_WAIT_MS = 30_000;

/** How long and how often it looks, in milliseconds. */
const LOOK_MS = { first: 50, most: 1000 };

/** How long a poll keeps a source, and below how much a poll extends that: more than the hour that a stream lasts. */
const POLLED_SECONDS = { kept: 7200, extendedBelow: 3700 };

/** The source whose events an agent wants. `sinceMs`: it was not there before; 0 where that makes no difference. */
export type EventSource = { id: Id<"source">; sinceMs: number; isShared: boolean };

/** Whether the source is for a subscription, which will keep it, or for polls, which keep it for some time. */
export type Use = "polls" | "subscription";

/**
 * The source of an event type. For a component, the one that the owner's agents share, if its version and all values are equal, accounts
 * included; else it is deployed. Where several requests find none at once, one deploys it and the others wait.
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

/** Undefined: another request deploys it, or has just ended it. */
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

/** Deploy a source that has its key. Not live: that took so long that another source was given the key. */
async function deploy(
  agent: AgentContext,
  configured: ConfiguredComponent,
  claimed: store.KeyedSource,
): Promise<store.KeyedSource> {
  const { sourceId: id } = claimed;
  const released = { sourceId: id, ownerId: agent.owner };
  try {
    await reporting(agent, id, () => namingArguments(() => create(agent, configured, id)));
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
  // A customer sees the triggers of the project's users, whoever deployed them.
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
    // Its events begin with the subscription: those of the hook are older.
    emitOnDeploy: false,
    admit: (configuration) => {
      admitConfiguration(agent, configuration);
      refuseSecrets({ ...configuration, props: additionalProps(declared, configuration.props) });
    },
  });
}

/** Report now and then that a source is still being deployed, so that nobody takes its key. */
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

/** Let a poll keep a source. False: it was ended just now. */
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
