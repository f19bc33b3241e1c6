import { queryOptions } from "@tanstack/react-query";
import { WellspringError } from "@wellspring/client";

import type { components } from "./admin.generated.ts";
import { adminApi } from "./client.ts";
import { type List, onePage, type Page } from "./pages.ts";
import type { ParkedEvent } from "./parked-events.ts";
import { bodyOf, request } from "./request.ts";
import type { Delivery, DeliveryState } from "./webhooks.ts";

export type ImportSummary = components["schemas"]["RegistryImportSummary"];
export type Mail = components["schemas"]["Mail"];
export type Alert = components["schemas"]["Alert"];
export type ImportedComponent = components["schemas"]["ImportedComponent"];
export type ComponentState = ImportedComponent["state"];

const REFRESH_MS = 10_000;

export function importsList(): List<ImportSummary> {
  return {
    queryKey: ["admin", "imports", "list"],
    read: ({ signal, ...cursor }) =>
      bodyOf(
        adminApi.GET("/registry/imports", {
          params: { query: cursor },
          signal,
        }),
      ),
  };
}

export function importQuery(id: string) {
  return queryOptions({
    queryKey: ["admin", "imports", id],
    queryFn: async () =>
      (await bodyOf(adminApi.GET("/registry/imports/{id}", { params: { path: { id } } }))).data,
    refetchInterval: REFRESH_MS,
  });
}

/** The components of an import. A cursor is the number of the last component of a page. */
export function importedComponentsList(
  id: string,
  { state, total }: { state?: ComponentState; total: number },
): List<ImportedComponent> {
  return {
    queryKey: ["admin", "imports", id, "components", state],
    read: async ({ limit, after, signal }) => {
      const query = {
        limit,
        ...(state === undefined ? {} : { state }),
        ...(after === undefined ? {} : { after: Number(after) }),
      };
      const call = adminApi.GET("/registry/imports/{id}/components", {
        params: { path: { id }, query },
        signal,
      });
      const { data } = await bodyOf(call);
      const last = data.at(-1)?.number;
      const cursor = last === undefined ? null : String(last);
      return { page_info: { total_count: total, count: data.length, end_cursor: cursor }, data };
    },
  };
}

/** Imports the components of an archive at a URL. */
export async function importComponents(archiveUrl: string) {
  return (await bodyOf(adminApi.POST("/registry/imports", { body: { archive_url: archiveUrl } })))
    .data;
}

export function mailboxList(filter: { owner_id?: string }): List<Mail> {
  return {
    queryKey: ["admin", "mailbox", filter],
    read: ({ signal, ...cursor }) =>
      bodyOf(adminApi.GET("/mailbox", { params: { query: { ...cursor, ...filter } }, signal })),
  };
}

export type AdminApp = components["schemas"]["AdminApp"];

/** All apps by slug, as operators see them. */
export function adminAppsList(filter: { q?: string }): List<AdminApp> {
  return {
    queryKey: ["admin", "apps", filter],
    read: ({ signal, ...cursor }) =>
      bodyOf(adminApi.GET("/apps", { params: { query: { ...cursor, ...filter } }, signal })),
  };
}

/** Drops what was stored with the OAuth client of an app: the app's settings apply. */
export async function dropClientOverrides(app: string): Promise<void> {
  await adminApi.DELETE("/oauth_apps/{app}/overrides", { params: { path: { app } } });
}

export type AgentSubscription = components["schemas"]["AgentSubscription"];

/** The subscriptions of agents, newest first; of one owner, or of the external users of one project. */
export function agentSubscriptionsList(holder: string | undefined): List<AgentSubscription> {
  return {
    queryKey: ["admin", "agent_subscriptions", holder],
    read: ({ signal, ...cursor }) => {
      const column = holder?.startsWith("proj_") ? "project_id" : "owner_id";
      const query = holder === undefined ? cursor : { ...cursor, [column]: holder };
      return bodyOf(adminApi.GET("/agent_subscriptions", { params: { query }, signal }));
    },
  };
}

export type AlertFilter = { state?: "open" | "ended" | "all"; owner_id?: string };

export function allAlertsList(filter: AlertFilter): List<Alert> {
  return {
    queryKey: ["admin", "alerts", filter],
    read: ({ signal, ...cursor }) =>
      bodyOf(adminApi.GET("/alerts", { params: { query: { ...cursor, ...filter } }, signal })),
  };
}

type Check = "ok" | "failing" | "silent" | "off";

export type Health = { release: string; checks: Record<string, Check> };

/** The health of each dependency. An unhealthy platform responds with 503 and the same checks. */
export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: () => request<Health>("GET", "/health").catch(unhealthy),
  refetchInterval: REFRESH_MS,
});

function unhealthy(error: unknown): Health {
  if (error instanceof WellspringError && error.status === 503 && error.details !== undefined)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the details of a 503 are those of a 200.
    return error.details as Health;
  throw error;
}

export type FailingWebhook = components["schemas"]["FailingWebhook"];
export type DeadLetter = components["schemas"]["DeadLetter"];

export function failingWebhooksList(hours: number): List<FailingWebhook> {
  return {
    queryKey: ["admin", "failing_webhooks", hours],
    read: async ({ signal }) => {
      const call = adminApi.GET("/failing_webhooks", { params: { query: { hours } }, signal });
      return onePage((await bodyOf(call)).data);
    },
  };
}

/** The newest failed deliveries of all webhooks. */
export function deadLettersList(hours: number): List<DeadLetter> {
  return {
    queryKey: ["admin", "webhooks", "dead_letters", hours],
    read: async ({ signal }) => {
      const call = adminApi.GET("/dead_letters", { params: { query: { hours } }, signal });
      return onePage((await bodyOf(call)).data);
    },
  };
}

/** The parked events of all owners. */
export const allParkedEventsList: List<ParkedEvent> = {
  queryKey: ["admin", "parked_events"],
  read: async ({ signal }) =>
    onePage((await bodyOf(adminApi.GET("/parked_events", { signal }))).data),
};

export function adminDeliveriesList(id: string, filter: { state?: DeliveryState }): List<Delivery> {
  return {
    queryKey: ["admin", "webhooks", id, "deliveries", filter],
    read: ({ signal, ...cursor }) =>
      request<Page<Delivery>>("GET", `/admin/webhooks/${encodeURIComponent(id)}/deliveries`, {
        query: { ...cursor, ...filter },
        signal,
      }),
  };
}

export async function retryAsOperator(id: string, deliveryId: string): Promise<void> {
  await request(
    "POST",
    `/admin/webhooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(deliveryId)}/retry`,
  );
}
