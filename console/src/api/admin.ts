import { queryOptions } from "@tanstack/react-query";

import type { Member, UsageDay } from "./account.ts";
import type { components } from "./admin.generated.ts";
import { adminApi } from "./client.ts";
import { type List, onePage, type Page } from "./pages.ts";
import { bodyOf, request } from "./request.ts";

type Schemas = components["schemas"];

export type User = Schemas["User"];
export type Quotas = Schemas["Quotas"];
export type UserKey = Schemas["ApiKey"];
export type UserSession = Schemas["Session"];

export type AdminWorkspace = Quotas & {
  id: string;
  orgname: string;
  name: string;
  email: string;
  plan: "free" | "paid" | "legacy";
  members: number;
  sources: number;
  workflows: number;
  created_at: number;
  updated_at: number;
};

/** Users and workspaces have the same quotas, usage and egress. */
export type Owner = { kind: "users" | "workspaces"; id: string };

type Filter = { q?: string };

export function usersList(filter: Filter): List<User> {
  return {
    queryKey: ["admin", "users", "list", filter],
    read: ({ signal, ...cursor }) =>
      bodyOf(adminApi.GET("/users", { params: { query: { ...cursor, ...filter } }, signal })),
  };
}

export function userQuery(id: string) {
  return queryOptions({
    queryKey: ["admin", "users", id],
    queryFn: async () =>
      (await bodyOf(adminApi.GET("/users/{id}", { params: { path: { id } } }))).data,
  });
}

export type UserFields = { username: string; email: string; plan: "free" | "paid" };

/** A user with a first key, whose secret is not shown again. */
export async function createUser(fields: UserFields) {
  return (await bodyOf(adminApi.POST("/users", { body: fields }))).data;
}

export async function updateUser(id: string, fields: Partial<UserFields>) {
  return bodyOf(adminApi.PUT("/users/{id}", { params: { path: { id } }, body: fields }));
}

/** Deletes a user with all of the user's resources. */
export async function deleteUser(id: string): Promise<void> {
  await request("DELETE", `/admin/users/${encodeURIComponent(id)}`, { query: { force: true } });
}

export function userKeysList(id: string): List<UserKey> {
  return {
    queryKey: ["admin", "users", id, "api_keys"],
    read: async ({ signal }) => {
      const call = adminApi.GET("/users/{id}/api_keys", { params: { path: { id } }, signal });
      return onePage((await bodyOf(call)).data);
    },
  };
}

export function userSessionsList(id: string): List<UserSession> {
  return {
    queryKey: ["admin", "users", id, "sessions"],
    read: ({ signal, ...cursor }) =>
      bodyOf(
        adminApi.GET("/users/{id}/sessions", {
          params: { path: { id }, query: cursor },
          signal,
        }),
      ),
  };
}

export async function endUserSession(id: string, sessionId: string): Promise<void> {
  await adminApi.DELETE("/users/{id}/sessions/{session_id}", {
    params: { path: { id, session_id: sessionId } },
  });
}

export async function issueApiKey(id: string, name: string | undefined) {
  const body = name === undefined ? {} : { name };
  return (await bodyOf(adminApi.POST("/users/{id}/api_keys", { params: { path: { id } }, body })))
    .data;
}

export async function revokeUserKey(id: string): Promise<void> {
  await adminApi.DELETE("/api_keys/{id}", { params: { path: { id } } });
}

export async function setQuotas({ kind, id }: Owner, quotas: Quotas): Promise<void> {
  await request("PUT", `/admin/${kind}/${encodeURIComponent(id)}/quotas`, { body: quotas });
}

export function ownerUsageQuery({ kind, id }: Owner, days: { from: string; to: string }) {
  return queryOptions({
    queryKey: ["admin", kind, id, "usage", days],
    queryFn: async () =>
      (await request<{ data: UsageDay[] }>("GET", `/admin/${kind}/${id}/usage`, { query: days }))
        .data,
  });
}

export function workspacesList(filter: Filter): List<AdminWorkspace> {
  return {
    queryKey: ["admin", "workspaces", "list", filter],
    read: ({ signal, ...cursor }) =>
      request<Page<AdminWorkspace>>("GET", "/admin/workspaces", {
        query: { ...cursor, ...filter },
        signal,
      }),
  };
}

/** One workspace. The list finds it by its id, because no operation reads a single one. */
export function adminWorkspaceQuery(id: string) {
  return queryOptions({
    queryKey: ["admin", "workspaces", id],
    queryFn: async () => {
      const page = await request<Page<AdminWorkspace>>("GET", "/admin/workspaces", {
        query: { q: id, limit: 1 },
      });
      return page.data.find((workspace) => workspace.id === id) ?? null;
    },
  });
}

export function workspaceMembersList(id: string): List<Member> {
  return {
    queryKey: ["admin", "workspaces", id, "members"],
    read: ({ signal, ...cursor }) =>
      request<Page<Member>>("GET", `/admin/workspaces/${encodeURIComponent(id)}/members`, {
        query: cursor,
        signal,
      }),
  };
}

export type WorkspaceFields = {
  orgname: string;
  name: string;
  email: string;
  plan: "free" | "paid" | "legacy";
};

export async function createWorkspace(fields: WorkspaceFields) {
  return (await bodyOf(adminApi.POST("/workspaces", { body: fields }))).data;
}

export async function addMember(id: string, userId: string): Promise<void> {
  await adminApi.PUT("/workspaces/{id}/members/{user_id}", {
    params: { path: { id, user_id: userId } },
  });
}

export async function removeMember(id: string, userId: string): Promise<void> {
  await adminApi.DELETE("/workspaces/{id}/members/{user_id}", {
    params: { path: { id, user_id: userId } },
  });
}
