import { queryOptions } from "@tanstack/react-query";
import type { components } from "@wellspring/client";

import { api } from "./client.ts";
import type { List, Page } from "./pages.ts";
import { request } from "./request.ts";

export type Webhook = components["schemas"]["Webhook"];
export type WebhookDetails = components["schemas"]["WebhookDetails"];
export type Delivery = components["schemas"]["Delivery"];
export type DeliveryState = Delivery["state"];
export type Attempt = Delivery["attempts"][number];

export type DeliveryDetails = components["schemas"]["DeliveryDetails"];

/** The emitter of one of a listener's subscriptions. */
export type Emitter = {
  subscription_id: string;
  event_name: string;
  filter: string | null;
  emitter_id: string;
  type: "source" | "workflow" | "webhook" | "all_sources" | "all_workflows" | "owner";
  id: string;
  name: string | null;
  active: boolean | null;
};

export type WebhookFields = { url: string; name: string | null; description: string | null };

/** The webhooks of the user, or of a workspace. */
export function webhooksList(
  org: string | undefined,
  filter: { q: string | undefined; active: string | undefined },
): List<Webhook> {
  const owner = org === undefined ? "users/me" : `workspaces/${encodeURIComponent(org)}`;
  return {
    queryKey: ["webhooks", "list", org, filter],
    read: ({ signal, ...cursor }) =>
      request<Page<Webhook>>("GET", `/v1/${owner}/webhooks`, {
        query: { ...cursor, ...filter },
        signal,
      }),
  };
}

export function webhookQuery(id: string) {
  return queryOptions({
    queryKey: ["webhooks", id],
    queryFn: async () => (await api.get("/webhooks/{id}", { params: { path: { id } } })).data,
  });
}

/** Deliveries are refetched while the page is visible, because attempts follow within seconds. */
const DELIVERIES_REFRESH_MS = 5000;

export function deliveriesList(id: string, filter: { state?: DeliveryState }): List<Delivery> {
  return {
    queryKey: ["webhooks", id, "deliveries", filter],
    read: ({ signal, ...cursor }) =>
      api.get("/webhooks/{id}/deliveries", {
        params: { path: { id }, query: { ...cursor, ...filter } },
        signal,
      }),
  };
}

export function deliveryQuery(id: string, deliveryId: string) {
  return queryOptions({
    queryKey: ["webhooks", id, "delivery", deliveryId],
    queryFn: async () =>
      (await request<{ data: DeliveryDetails }>("GET", deliveryPath(id, deliveryId))).data,
    refetchInterval: DELIVERIES_REFRESH_MS,
  });
}

export function emittersQuery(id: string) {
  return queryOptions({
    queryKey: ["webhooks", id, "emitters"],
    queryFn: async () =>
      (await request<{ data: Emitter[] }>("GET", `/v1/webhooks/${encodeURIComponent(id)}/emitters`))
        .data,
  });
}

export async function createWebhook(fields: WebhookFields, org: string | undefined) {
  const owner = org === undefined ? {} : { org_id: org };
  return (await api.post("/webhooks", { body: { ...fields, ...owner } })).data;
}

export async function updateWebhook(
  id: string,
  fields: Partial<WebhookFields> & { active?: boolean },
) {
  return (await api.put("/webhooks/{id}", { params: { path: { id } }, body: fields })).data;
}

export async function deleteWebhook(id: string): Promise<void> {
  await api.delete("/webhooks/{id}", { params: { path: { id } } });
}

/** A new signing secret. The old one also signs until the overlap ends. */
export async function rotateSecret(id: string, overlapSeconds: number) {
  const { data } = await api.post("/webhooks/{id}/rotate_secret", {
    params: { path: { id } },
    body: { overlap_seconds: overlapSeconds },
  });
  return data;
}

export async function retryDelivery(id: string, deliveryId: string): Promise<void> {
  await request("POST", `${deliveryPath(id, deliveryId)}/retry`);
}

export type Span = { from_ms: number; to_ms: number };

/** Sends all deliveries of a span again, or only counts them. */
export async function replayDeliveries(
  id: string,
  { span, isDryRun }: { span: Span; isDryRun: boolean },
): Promise<number> {
  const { data } = await request<{ data: { count: number } }>(
    "POST",
    `/v1/webhooks/${encodeURIComponent(id)}/replay`,
    { body: isDryRun ? { ...span, dry_run: true } : span },
  );
  return data.count;
}

export type NewSubscription = {
  emitter_id: string;
  listener_id: string;
  event_name?: string;
  filter?: string;
  org_id?: string;
};

export async function subscribe(subscription: NewSubscription) {
  return (await api.post("/subscriptions", { body: subscription })).data;
}

export async function unsubscribe(
  emitter: Pick<Emitter, "emitter_id" | "event_name">,
  listenerId: string,
): Promise<void> {
  const { emitter_id, event_name } = emitter;
  const channel = event_name === "" ? {} : { event_name };
  await request("DELETE", "/v1/subscriptions", {
    query: { emitter_id, listener_id: listenerId, ...channel },
  });
}

function deliveryPath(id: string, deliveryId: string): string {
  return `/v1/webhooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(deliveryId)}`;
}
