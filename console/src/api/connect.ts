import { queryOptions } from "@tanstack/react-query";

import { connectApi } from "./client.ts";
import type { components } from "./connect.generated.ts";
import { itemOf, type List } from "./pages.ts";
import { bodyOf } from "./request.ts";

type Schemas = components["schemas"];

export type Project = Schemas["Project"];
export type OauthClient = Schemas["OauthClient"];
export type App = Schemas["App"];
export type ProjectOauthApp = Schemas["ProjectOauthApp"];
export type AppOverride = Schemas["AppOverride"];
export type ExternalUser = Schemas["ExternalUser"];
export type ConnectedAccount = Schemas["ConnectedAccount"];
export type DeployedTrigger = Schemas["DeployedTrigger"];

export type ProjectFields = {
  name: string;
  app_name: string | null;
  support_email: string | null;
  connect_require_key_auth_test: boolean;
};

type Filter = { q?: string };

type Environment = "development" | "production";

/** One environment of a project, with its own external users, accounts and triggers. */
export type Scope = { project: string; env: Environment };

function headerOf(env: Environment) {
  return { "x-pd-environment": env };
}

function inScope({ project, env }: Scope) {
  return { path: { project }, header: headerOf(env) };
}

export function projectsList(filter: Filter): List<Project> {
  return {
    queryKey: ["connect", "projects", "list", filter],
    read: ({ signal, ...cursor }) =>
      bodyOf(connectApi.GET("/projects", { params: { query: { ...cursor, ...filter } }, signal })),
  };
}

export function projectQuery(id: string) {
  return queryOptions({
    queryKey: ["connect", "projects", id],
    queryFn: () => bodyOf(connectApi.GET("/projects/{id}", { params: { path: { id } } })),
  });
}

export async function createProject(fields: ProjectFields, org: string | undefined) {
  const owner = org === undefined ? {} : { org_id: org };
  return bodyOf(connectApi.POST("/projects", { body: { ...fields, ...owner } }));
}

export async function updateProject(id: string, fields: Partial<ProjectFields>) {
  return bodyOf(connectApi.PATCH("/projects/{id}", { params: { path: { id } }, body: fields }));
}

export async function deleteProject(id: string): Promise<void> {
  await connectApi.DELETE("/projects/{id}", { params: { path: { id } } });
}

export function oauthClientsList(): List<OauthClient> {
  return {
    queryKey: ["connect", "oauth_clients"],
    read: ({ signal, ...cursor }) =>
      bodyOf(
        connectApi.GET("/oauth_clients", {
          params: { query: cursor },
          signal,
        }),
      ),
  };
}

/** A client of the Connect API, with its secret, which is not shown again. */
export async function createOauthClient(fields: {
  name: string;
  project_id?: string;
  org_id?: string;
}) {
  return (await bodyOf(connectApi.POST("/oauth_clients", { body: fields }))).data;
}

export async function revokeOauthClient(id: string): Promise<void> {
  await connectApi.DELETE("/oauth_clients/{id}", { params: { path: { id } } });
}

export function appsList(filter: Filter & { has_components?: boolean }): List<App> {
  return {
    queryKey: ["connect", "apps", "list", filter],
    read: ({ signal, ...cursor }) =>
      bodyOf(connectApi.GET("/apps", { params: { query: { ...cursor, ...filter } }, signal })),
  };
}

export function usersList(scope: Scope, filter: Filter): List<ExternalUser> {
  return {
    queryKey: ["connect", scope, "users", filter],
    read: ({ signal, ...cursor }) =>
      bodyOf(
        connectApi.GET("/{project}/users", {
          params: { ...inScope(scope), query: { ...cursor, ...filter } },
          signal,
        }),
      ),
    // The API reads no user by its id, but it filters by the beginning of it.
    readItem: (id, signal) => {
      const { queryKey, read } = usersList(scope, { q: id });
      return itemOf(
        { queryKey, read },
        { id, isItem: ({ external_id }) => external_id === id, signal },
      );
    },
  };
}

/** Deletes a user with the user's accounts and deployed triggers. */
export async function deleteUser({ project, env }: Scope, externalUserId: string): Promise<void> {
  await connectApi.DELETE("/{project}/users/{external_user_id}", {
    params: { path: { project, external_user_id: externalUserId }, header: headerOf(env) },
  });
}

export type AccountFilter = { external_user_id?: string; app?: string };

export function accountsList(scope: Scope, filter: AccountFilter): List<ConnectedAccount> {
  return {
    queryKey: ["connect", scope, "accounts", filter],
    read: ({ signal, ...cursor }) =>
      bodyOf(
        connectApi.GET("/{project}/accounts", {
          params: { ...inScope(scope), query: { ...cursor, ...filter } },
          signal,
        }),
      ),
    readItem: (id, signal) => {
      const params = { path: { project: scope.project, id }, header: headerOf(scope.env) };
      return bodyOf(connectApi.GET("/{project}/accounts/{id}", { params, signal }));
    },
  };
}

export async function deleteAccount({ project, env }: Scope, id: string): Promise<void> {
  await connectApi.DELETE("/{project}/accounts/{id}", {
    params: { path: { project, id }, header: headerOf(env) },
  });
}

export type TriggerFilter = { external_user_id?: string };

export function triggersList(scope: Scope, filter: TriggerFilter): List<DeployedTrigger> {
  return {
    queryKey: ["connect", scope, "triggers", filter],
    read: ({ signal, ...cursor }) =>
      bodyOf(
        connectApi.GET("/{project}/deployed-triggers", {
          params: { ...inScope(scope), query: { ...cursor, ...filter } },
          signal,
        }),
      ),
    readItem: async (id, signal) => {
      const params = { path: { project: scope.project, id }, header: headerOf(scope.env) };
      return (await bodyOf(connectApi.GET("/{project}/deployed-triggers/{id}", { params, signal })))
        .data;
    },
  };
}

export async function setTriggerActive(
  { project, env }: Scope,
  { id, active }: { id: string; active: boolean },
): Promise<void> {
  await connectApi.PUT("/{project}/deployed-triggers/{id}", {
    params: { path: { project, id }, header: headerOf(env) },
    body: { active },
  });
}

export async function deleteTrigger({ project, env }: Scope, id: string): Promise<void> {
  await connectApi.DELETE("/{project}/deployed-triggers/{id}", {
    params: { path: { project, id }, header: headerOf(env) },
  });
}

/** A token for an external user, with the link on which the user connects an account. */
export async function createConnectToken(
  scope: Scope,
  { externalUserId, app }: { externalUserId: string; app: string },
) {
  const { connect_link_url, ...token } = await bodyOf(
    connectApi.POST("/{project}/tokens", {
      params: inScope(scope),
      body: { external_user_id: externalUserId },
    }),
  );
  const link = new URL(connect_link_url);
  link.searchParams.set("app", app);
  return { ...token, connect_link_url: link.href };
}

/** Used credits by span, between two times in epoch seconds. */
export function usageQuery({ from, to }: { from: number; to: number }) {
  return queryOptions({
    queryKey: ["connect", "usage", from, to],
    queryFn: async () =>
      (
        await bodyOf(
          connectApi.GET("/usage", { params: { query: { start_ts: from, end_ts: to } } }),
        )
      ).data,
  });
}

/** The newest hundred projects, for choices. */
export const allProjectsQuery = queryOptions({
  queryKey: ["connect", "projects", "list", "choices"],
  queryFn: async () =>
    (await bodyOf(connectApi.GET("/projects", { params: { query: { limit: 100 } } }))).data,
});

/** The webhook that receives every connection of an environment. */
export function projectWebhookQuery(scope: Scope) {
  return queryOptions({
    queryKey: ["connect", scope, "webhook"],
    queryFn: async () =>
      (await bodyOf(connectApi.GET("/{project}/webhook", { params: inScope(scope) }))).data ?? null,
  });
}

/** The webhook, with its signing key if it is new. */
export async function putProjectWebhook(scope: Scope, url: string) {
  return (
    await bodyOf(connectApi.PUT("/{project}/webhook", { params: inScope(scope), body: { url } }))
  ).data;
}

export async function deleteProjectWebhook(scope: Scope): Promise<void> {
  await connectApi.DELETE("/{project}/webhook", { params: inScope(scope) });
}

export async function regenerateWebhookKey(scope: Scope) {
  return (
    await bodyOf(
      connectApi.POST("/{project}/webhook/regenerate_signing_key", { params: inScope(scope) }),
    )
  ).data;
}

/** Maximum apps of a choice; typing finds the others. */
const MAX_CHOICES = 99;

/** The first apps whose name or slug contains `q`, for choices. */
export function appChoicesQuery(q: string) {
  const query = { limit: MAX_CHOICES, sort_key: "name" as const, ...(q !== "" && { q }) };
  return queryOptions({
    queryKey: ["connect", "apps", "choices", q],
    queryFn: async ({ signal }) =>
      (await bodyOf(connectApi.GET("/apps", { params: { query }, signal }))).data,
  });
}

export function appQuery(slug: string) {
  return queryOptions({
    queryKey: ["connect", "apps", slug],
    queryFn: async () =>
      (await bodyOf(connectApi.GET("/apps/{slug}", { params: { path: { slug } } }))).data,
  });
}
