import { queryOptions } from "@tanstack/react-query";

import type { components } from "./admin.generated.ts";
import { adminApi, connectApi } from "./client.ts";
import type { Scope } from "./connect.ts";
import { bodyOf } from "./request.ts";

export type AgentQuotas = components["schemas"]["AgentQuotas"];

/** The quotas that can be set; null: the default. */
export type AgentQuotaChange = Pick<
  AgentQuotas,
  "polls_quota" | "runs_quota" | "subscriptions_quota"
>;

/** The quotas of a project's agents, for operators. */
export function anyProjectQuotasQuery(id: string) {
  return queryOptions({
    queryKey: ["admin", "agent_quotas", id],
    queryFn: async () => {
      const params = { path: { id } };
      return (await bodyOf(adminApi.GET("/projects/{id}/agent_quotas", { params }))).data;
    },
  });
}

/** Only operators set the quotas of a project. */
export async function setProjectQuotas(id: string, body: AgentQuotaChange): Promise<void> {
  await adminApi.PUT("/projects/{id}/agent_quotas", { params: { path: { id } }, body });
}

/** The quotas of a project's agents, for those who have access to it. */
export function projectQuotasQuery(id: string) {
  return queryOptions({
    queryKey: ["connect", "projects", id, "agent_quotas"],
    queryFn: async () => {
      const params = { path: { id } };
      return (await bodyOf(connectApi.GET("/projects/{id}/agent_quotas", { params }))).data;
    },
  });
}

/** The quotas of the agents of one external user. */
export function userQuotasQuery(scope: Scope, user: string) {
  return queryOptions({
    queryKey: userQuotasKey(scope, user),
    queryFn: async () => {
      const call = connectApi.GET("/{project}/users/{external_user_id}/agent_quotas", {
        params: paramsOf(scope, user),
      });
      return (await bodyOf(call)).data;
    },
  });
}

export function userQuotasKey(scope: Scope, user: string) {
  return ["connect", scope, "agent_quotas", user];
}

export async function setUserQuotas(
  scope: Scope,
  user: string,
  body: AgentQuotaChange,
): Promise<void> {
  await connectApi.PUT("/{project}/users/{external_user_id}/agent_quotas", {
    params: paramsOf(scope, user),
    body,
  });
}

function paramsOf({ project, env }: Scope, external_user_id: string) {
  return { path: { project, external_user_id }, header: { "x-pd-environment": env } };
}
