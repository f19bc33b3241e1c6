import { queryOptions } from "@tanstack/react-query";
import type { components } from "@wellspring/client";

import type { Page } from "../components/data-table.tsx";
import { api } from "./client.ts";
import type { Counts } from "./overview.ts";
import { v1 } from "./v1.ts";

export type Source = components["schemas"]["Source"];

export type EventSummary = Omit<components["schemas"]["EventSummary"], "metadata"> & {
  metadata: components["schemas"]["EventSummary"]["metadata"] & {
    /** The emit id of the original event. */
    replay_of?: string;
  };
};

export type Run = components["schemas"]["Run"];

export type StateTimer = {
  prop: string;
  next_at_ms: number;
  cron?: string;
  timezone?: string;
  interval_seconds?: number;
};

export type SourceState = {
  db: Record<string, unknown>;
  truncated: string[];
  bytes: number;
  keys: number;
  next: string | null;
  timers: StateTimer[];
};

export type SourceCode = {
  version: number;
  component_id: string;
  key: string | null;
  name: string;
  component_version: string | null;
  code_hash: string;
  url: string | null;
  entry: string | null;
  files: { path: string; code: string }[];
  truncated: boolean;
};

export type SourceVersion = {
  version: number;
  /** Epoch seconds. */
  at: number;
  component_id: string;
  code_hash: string;
  key: string | null;
  name: string;
  component_version: string | null;
  by: string | null;
  is_current: boolean;
};

/** The other end of a subscription. */
export type Link = {
  subscription_id: string;
  event_name: string;
  filter: string | null;
  emitter_id?: string;
  type: string;
  id: string;
  name: string | null;
  active: boolean | null;
};

/** Maximum time to wait for a test event. */
const RUN_WAIT_SECONDS = 20;

type ListQuery = { limit: number; after?: string; q?: string; active?: string };

/** The keys of the queries about sources, so that mutations can invalidate them. */
export const sourceKeys = {
  all: ["sources"],
  list: (org: string | undefined, filter: object) => ["sources", "list", org, filter],
  one: (id: string) => ["sources", "one", id],
  part: (id: string, ...part: unknown[]) => ["sources", "one", id, ...part],
} as const;

/** A page of the sources of a workspace, or of the user's own. */
export function readSources(
  org: string | undefined,
  query: ListQuery,
  signal: AbortSignal,
): Promise<Page<Source>> {
  const path =
    org === undefined ? "/users/me/sources" : `/workspaces/${encodeURIComponent(org)}/sources`;
  return v1(path, { query, signal });
}

/** One source. */
export function sourceQuery(id: string) {
  return queryOptions({
    queryKey: sourceKeys.one(id),
    queryFn: async ({ signal }) =>
      (await api.get("/sources/{id}", { params: { path: { id } }, signal })).data,
  });
}

/** The component that a source runs. */
export function componentQuery(key: string) {
  return queryOptions({
    queryKey: ["component", key],
    queryFn: async ({ signal }) =>
      (await api.get("/components/{key}", { params: { path: { key } }, signal })).data,
    staleTime: 60_000,
  });
}

/** The activity of a source in the last day. */
export function activityQuery(id: string) {
  return queryOptions({
    queryKey: sourceKeys.part(id, "activity"),
    queryFn: async ({ signal }) =>
      (await v1<{ data: { totals: Counts } }>(`${pathOf(id)}/activity`, { signal })).data,
    staleTime: 30_000,
  });
}

/**
 * The last events of a channel of a source or a workflow, newest first; by default of all channels but the platform's own.
 * `isWhole`: large ones, too, have all of their values.
 */
export async function readEvents(
  id: string,
  {
    channel,
    signal,
    isWhole,
  }: { channel?: string | undefined; signal: AbortSignal; isWhole?: true },
): Promise<EventSummary[]> {
  const isSystem = channel?.startsWith("$") === true;
  const base = id.startsWith("p_") ? `/workflows/${encodeURIComponent(id)}` : pathOf(id);
  const path = isSystem ? `${base}/${channel}/event_summaries` : `${base}/event_summaries`;
  const query = {
    limit: 100,
    event_name: isSystem ? undefined : channel,
    expand: isWhole && "event",
  };
  return (await v1<Page<EventSummary>>(path, { query, signal })).data;
}

/** Runs a source now and waits for the end of the run. */
export async function runSource(id: string, event: { value: unknown } | undefined): Promise<Run> {
  const body = { wait: RUN_WAIT_SECONDS, ...(event && { event: event.value }) };
  return (await api.post("/sources/{id}/run", { params: { path: { id } }, body })).data;
}

/** Pauses or resumes a source. */
export async function activateSource(id: string, active: boolean): Promise<Source> {
  return (await api.put("/sources/{id}", { params: { path: { id } }, body: { active } })).data;
}

/** Deletes a source, with its state, events and subscriptions. */
export async function deleteSource(id: string): Promise<void> {
  await api.delete("/sources/{id}", { params: { path: { id } } });
}

/** Restores an earlier version of a source's code. */
export async function restoreVersion(
  { id, active }: Source,
  { component_id }: SourceVersion,
): Promise<Source> {
  const body = { active, component_id };
  return (await api.put("/sources/{id}", { params: { path: { id } }, body })).data;
}

/** Changes the name, the props or the shards of a source. A paused source stays paused. */
export async function updateSource(
  { id, active }: Source,
  change: { name?: string; configured_props?: Record<string, unknown>; shards?: number },
): Promise<Source> {
  const body = { active, ...change };
  return (await api.put("/sources/{id}", { params: { path: { id } }, body })).data;
}

/** Subscribes a listener to the events of an emitter. */
export async function subscribe(link: {
  emitter_id: string;
  listener_id: string;
  event_name: string;
  filter?: string;
}): Promise<void> {
  await api.post("/subscriptions", { body: link });
}

/** Ends a subscription. */
export async function unsubscribe(link: {
  emitter_id: string;
  listener_id: string;
  event_name: string;
}): Promise<void> {
  await api.delete("/subscriptions", { params: { query: link } });
}

/** One event, whole. */
export function eventQuery(id: string, eventId: string) {
  return queryOptions({
    queryKey: sourceKeys.part(id, "event", eventId),
    queryFn: async ({ signal }) =>
      (
        await v1<{ data: EventSummary }>(`${pathOf(id)}/events/${encodeURIComponent(eventId)}`, {
          signal,
        })
      ).data,
    // Events never change.
    staleTime: Infinity,
  });
}

/** A page of a source's state, and its timers. */
export function stateQuery(id: string, after: string | undefined) {
  return queryOptions({
    queryKey: sourceKeys.part(id, "state", after),
    queryFn: async ({ signal }) =>
      (await v1<{ data: SourceState }>(`${pathOf(id)}/state`, { query: { after }, signal })).data,
  });
}

/** One value of a source's state, whole. */
export async function readStateValue(id: string, key: string): Promise<unknown> {
  const { data } = await v1<{ data: SourceState }>(`${pathOf(id)}/state`, { query: { key } });
  return data.db[key];
}

/** The code of a source, as deployed now or in an earlier version. */
export function codeQuery(id: string, version?: number) {
  const path = version === undefined ? "/code" : `/versions/${version}/code`;
  return queryOptions({
    queryKey: sourceKeys.part(id, "code", version),
    queryFn: async ({ signal }) =>
      (await v1<{ data: SourceCode }>(`${pathOf(id)}${path}`, { signal })).data,
  });
}

/** The versions of a source's code, newest first. */
export function versionsQuery(id: string) {
  return queryOptions({
    queryKey: sourceKeys.part(id, "versions"),
    queryFn: async ({ signal }) =>
      (await v1<Page<SourceVersion>>(`${pathOf(id)}/versions`, { query: { limit: 100 }, signal }))
        .data,
  });
}

/** The listeners of a source. */
export function listenersQuery(id: string) {
  return queryOptions({
    queryKey: sourceKeys.part(id, "listeners"),
    queryFn: async ({ signal }) =>
      (await v1<{ data: Link[] }>(`${pathOf(id)}/listeners`, { signal })).data,
  });
}

/** The listeners of a source or a workflow. */
export function listenersOfQuery(type: string, id: string) {
  return queryOptions({
    queryKey: ["listeners", type, id],
    queryFn: async ({ signal }) =>
      (await v1<{ data: Link[] }>(`/${type}s/${encodeURIComponent(id)}/listeners`, { signal }))
        .data,
  });
}

/** The emitters that a source listens to. */
export function emittersQuery(id: string) {
  return queryOptions({
    queryKey: sourceKeys.part(id, "emitters"),
    queryFn: async ({ signal }) =>
      (await v1<{ data: Link[] }>(`${pathOf(id)}/emitters`, { signal })).data,
  });
}

/** Sends a stored event to its current listeners again. */
export async function replayEvent(id: string, eventId: string): Promise<EventSummary> {
  const path = `${pathOf(id)}/events/${encodeURIComponent(eventId)}/replay`;
  return (await v1<{ data: EventSummary }>(path, { method: "POST" })).data;
}

function pathOf(id: string): string {
  return `/sources/${encodeURIComponent(id)}`;
}
