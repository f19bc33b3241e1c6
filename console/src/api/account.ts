import { queryOptions } from "@tanstack/react-query";
import type { components } from "@wellspring/client";

import { api } from "./client.ts";
import { type List, onePage, type Page } from "./pages.ts";
import { request } from "./request.ts";

type Schemas = components["schemas"];

export type Account = Schemas["Account"];
export type Workspace = Schemas["Workspace"];

export type ApiKey = {
  id: string;
  name: string | null;
  created_at: number;
  last_used_at: number | null;
  is_current: boolean;
};

export type NewApiKey = { id: string; name: string | null; created_at: number; api_key: string };

export type OpenSession = Schemas["Session"];

export type Member = { user_id: string; username: string; email: string; joined_at: number };

/** The limits of a user or a workspace on each day (UTC). Those that are not set are 0. */
export type Quotas = Schemas["Quotas"];

/** The usage of one day (UTC). */
export type UsageDay = { day: string; invocations: number; compute_ms: number; credits: number };

/** The usage on each day, and the current limits. */
export type DailyUsage = { data: UsageDay[]; quotas: Quotas; stored_bytes: number };

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async () => (await api.get("/users/me")).data,
});

export const apiKeysList: List<ApiKey> = {
  queryKey: ["api_keys"],
  read: async ({ signal }) =>
    onePage((await request<{ data: ApiKey[] }>("GET", "/v1/api_keys", { signal })).data),
};

/** A key, with its secret, which is not shown again. */
export async function createApiKey(name: string | undefined): Promise<NewApiKey> {
  const body = name === undefined ? {} : { name };
  return (await request<{ data: NewApiKey }>("POST", "/v1/api_keys", { body })).data;
}

export async function revokeApiKey(id: string): Promise<void> {
  await request("DELETE", `/v1/api_keys/${encodeURIComponent(id)}`);
}

export function sessionsList(): List<OpenSession> {
  return {
    queryKey: ["sessions"],
    read: ({ signal, ...cursor }) =>
      request<Page<OpenSession>>("GET", "/v1/sessions", { query: cursor, signal }),
  };
}

export async function revokeSession(id: string): Promise<void> {
  await request("DELETE", `/v1/sessions/${encodeURIComponent(id)}`);
}

export const workspacesQuery = queryOptions({
  queryKey: ["workspaces"],
  queryFn: async () => (await request<{ data: Workspace[] }>("GET", "/v1/workspaces")).data,
});

/** The workspaces as a list. */
export const workspacesList: List<Workspace> = {
  queryKey: ["workspaces", "list"],
  read: async ({ signal }) =>
    onePage((await request<{ data: Workspace[] }>("GET", "/v1/workspaces", { signal })).data),
};

export function workspaceQuery(id: string) {
  return queryOptions({
    queryKey: ["workspaces", id],
    queryFn: async () => (await api.get("/workspaces/{id}", { params: { path: { id } } })).data,
  });
}

export function membersList(id: string): List<Member> {
  return {
    queryKey: ["workspaces", id, "members"],
    read: ({ signal, ...cursor }) =>
      request<Page<Member>>("GET", `/v1/workspaces/${encodeURIComponent(id)}/members`, {
        query: cursor,
        signal,
      }),
  };
}

export type AccountFilter = { org?: string; q?: string; app?: string };

/** Accounts of the user, or of a workspace. */
export function accountsList({ org, ...filter }: AccountFilter): List<Account> {
  const path = org === undefined ? "/v1/accounts" : `/v1/workspaces/${org}/accounts`;
  return {
    queryKey: ["accounts", "list", org, filter],
    read: ({ signal, ...cursor }) =>
      request<Page<Account>>("GET", path, { query: { ...cursor, ...filter }, signal }),
  };
}

export function accountQuery(id: string) {
  return queryOptions({
    queryKey: ["accounts", id],
    queryFn: async () => (await api.get("/accounts/{id}", { params: { path: { id } } })).data,
  });
}

export function accountUsesQuery(id: string) {
  return queryOptions({
    queryKey: ["accounts", id, "uses"],
    queryFn: async () => (await api.get("/accounts/{id}/uses", { params: { path: { id } } })).data,
  });
}

/** The page for signing in at the provider. With `account_id`, it connects that account again. */
export async function signInLink(fields: {
  app: string;
  account_id?: string;
  redirect_uri: string;
  org_id?: string;
}) {
  return (await api.post("/accounts/authorize", { body: fields })).data;
}

export async function connectAccount(account: {
  app: string;
  name: string;
  credentials: Record<string, string>;
  org_id?: string;
}) {
  return (await api.post("/accounts", { body: account })).data;
}

export async function updateAccount(
  id: string,
  change: { name?: string; credentials?: Record<string, string> },
) {
  return (await api.put("/accounts/{id}", { params: { path: { id } }, body: change })).data;
}

/** Deletes an account, even if sources and workflows use it. */
export async function deleteAccount(id: string): Promise<void> {
  await request("DELETE", `/v1/accounts/${encodeURIComponent(id)}`, { query: { force: true } });
}

/** Usage by day, of the user or of a workspace, and the current quotas. Both days are included. */
export function usageQuery(days: { from: string; to: string }, org: string | undefined) {
  return queryOptions({
    queryKey: ["usage", days, org],
    queryFn: () =>
      request<DailyUsage>("GET", "/v1/usage", {
        query: { ...days, org_id: org },
      }),
  });
}
