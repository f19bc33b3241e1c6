import { newestSourcesOfKeys } from "#db/agent-sources.ts";
import { pageOfComponents } from "#db/connect/components.ts";
import { propsOfComponents } from "#db/connect/deployed-triggers.ts";
import { pageOfSources } from "#db/sources.ts";
import { reachesApps } from "#domain/agent-grants.ts";
import type { ComponentDefinition } from "#domain/definition.ts";
import { type Id, isId } from "#domain/ids.ts";
import type { Json } from "#domain/json.ts";
import { type HitPlace, hitOf, rowOf } from "#domain/page.ts";
import { fieldsOfSamples } from "#domain/payload-schema.ts";
import { type AccountChoice, appsOfProps, type JsonSchema } from "#domain/prop-schema.ts";

import type { Source } from "../sources/read.ts";
import { accountsFor } from "./accounts.ts";
import { type AgentContext, requireKind } from "./context.ts";
import { badCursor, lastPayloads } from "./event-history.ts";
import { isNarrowed, mayBeDeployed } from "./event-types.ts";
import { payerOf } from "./search.ts";

/** Maximum event types of a page, and components among them. */
const PAGE_LENGTH = 50;
const COMPONENTS_A_PAGE = 20;

/** Maximum length of an event type's name, in characters. */
const MAX_NAME = 200;

/** Number of past events that a schema covers, beside the component's sample. */
const PAST_EVENTS = 3;

/** What is known of the fields of events; undefined: nothing. */
type Fields = JsonSchema | undefined;

/** A deployed source as an event type. */
export type SourceType = { source: Source; fields: Fields };

/** A component as an event type: a subscription deploys it. */
export type ComponentType = { key: string; definition: ComponentDefinition; fields: Fields };

/** `accounts`: those that the agent may use with the components. */
export type EventTypePage = {
  sources: SourceType[];
  components: ComponentType[];
  accounts: AccountChoice[];
  nextCursor: string | undefined;
};

/**
 * A page of event types: the deployed sources of the agent's owner, newest first, and after them the components that it
 * may deploy, in the order of their keys. A token that is narrowed to apps or accounts has components alone.
 */
export async function listEventTypes(
  agent: AgentContext,
  cursor: string | undefined,
): Promise<EventTypePage> {
  requireKind(agent, "read");
  const place = await placeIn(agent, cursor);
  const hasSources = place.hit === undefined && !isNarrowed(agent);
  const sources = hasSources ? await sourcesAfter(agent, place.seq) : [];
  const last = sources.at(-1);
  if (last && sources.length === PAGE_LENGTH) {
    const nextCursor = await agent.vault.sealCursor(
      { kind: "row", seq: last.source.seq },
      eventTypeCursorList(agent),
    );
    return { sources, components: [], accounts: [], nextCursor };
  }
  const limit = Math.min(PAGE_LENGTH - sources.length, COMPONENTS_A_PAGE);
  const { components, next } = await componentsAfter(agent, { after: place.hit, limit });
  const apps = new Set(components.flatMap(({ definition }) => appsOfProps(definition.props)));
  return {
    sources,
    components,
    accounts: await accountsFor(agent, [...apps]),
    nextCursor:
      next && (await agent.vault.sealCursor({ kind: "hit", ...next }, eventTypeCursorList(agent))),
  };
}

/** Where a page begins: after a deployed source, or after a component. */
async function placeIn(
  agent: AgentContext,
  cursor: string | undefined,
): Promise<{ seq?: number | undefined; hit?: HitPlace | undefined }> {
  if (cursor === undefined) return {};
  const place = await agent.vault.openCursor(cursor, eventTypeCursorList(agent), (text) => {
    const [seq, hit] = [rowOf(text), hitOf(text)];
    return seq === undefined && hit === undefined ? undefined : { seq, hit };
  });
  if (!place) throw badCursor();
  return place;
}

function eventTypeCursorList({ owner }: AgentContext) {
  return [owner, "event types"] as const;
}

async function sourcesAfter(agent: AgentContext, after: number | undefined): Promise<SourceType[]> {
  const request = { limit: PAGE_LENGTH, after };
  const { items } = await pageOfSources(agent.db, agent.owner, request);
  const components = await propsOfComponents(
    agent.db,
    items.map(({ componentId }) => componentId),
  );
  return Promise.all(
    items.map(async (source) => {
      const sample = components.get(source.componentId)?.definition.sampleEmit;
      return { source, fields: await fieldsOf(agent, { sample, source: source.id }) };
    }),
  );
}

async function componentsAfter(
  agent: AgentContext,
  { after, limit }: { after: HitPlace | undefined; limit: number },
): Promise<{ components: ComponentType[]; next: HitPlace | undefined }> {
  const { items } = await pageOfComponents(agent.db, payerOf(agent), {
    filter: { type: "source", registry: "all" },
    request: { limit, after },
  });
  const usable = items.flatMap(({ key, definition }) =>
    key !== null && isUsable(agent, key, definition) ? [{ key, definition }] : [],
  );
  const deployed = mayReadEvents(agent)
    ? await newestSourcesOfKeys(
        agent.db,
        agent.owner,
        usable.map(({ key }) => key),
      )
    : new Map<string, Id<"source">>();
  const components = await Promise.all(
    usable.map(async ({ key, definition }) => {
      const { sampleEmit: sample } = definition;
      const fields = await fieldsOf(agent, { sample, source: deployed.get(key) });
      return { key, definition, fields };
    }),
  );
  const last = items.length < limit ? undefined : items.at(-1);
  return { components, next: last && { score: last.score, key: last.key ?? "" } };
}

/**
 * Whether a component can be an event type for an agent. A key that looks like the id of a source stands for that
 * source.
 */
function isUsable(
  agent: AgentContext,
  key: string,
  { props, dynamic }: ComponentDefinition,
): boolean {
  if (key.length > MAX_NAME || isId("source", key) || isId("component", key)) return false;
  if (dynamic && isNarrowed(agent)) return false;
  return reachesApps(agent.grants, appsOfProps(props)) && mayBeDeployed(props);
}

/** Whether an agent may read the field names of emitted events: they reveal a part of the content. */
function mayReadEvents(agent: AgentContext): boolean {
  return agent.grants.kinds.has("subscribe") && !isNarrowed(agent);
}

/** The known fields of a component's events: of its sample, and of the events of a deployed source. */
async function fieldsOf(
  agent: AgentContext,
  { sample, source }: { sample: Json | undefined; source: Id<"source"> | undefined },
): Promise<Fields> {
  const isRead = source !== undefined && mayReadEvents(agent);
  // Without those of a source that cannot be reached.
  const past = isRead ? await lastPayloads(agent, source, PAST_EVENTS).catch(() => []) : [];
  return fieldsOfSamples(sample === undefined ? past : [sample, ...past]);
}
