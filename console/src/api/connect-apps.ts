import { connectApi } from "./client.ts";
import type { AppOverride, ProjectOauthApp } from "./connect.ts";
import type { List } from "./pages.ts";
import { bodyOf } from "./request.ts";

type Filter = { app?: string };

/** A project's own OAuth apps. */
export function oauthAppsList(project: string, filter: Filter): List<ProjectOauthApp> {
  return {
    queryKey: ["connect", project, "oauth_apps", filter],
    read: ({ signal, ...cursor }) =>
      bodyOf(
        connectApi.GET("/{project}/oauth_apps", {
          params: { path: { project }, query: { ...cursor, ...filter } },
          signal,
        }),
      ),
  };
}

export type OauthAppFields = {
  app: string;
  client_id: string;
  client_secret: string;
  name?: string;
  scopes?: string[];
};

export async function createOauthApp(project: string, fields: OauthAppFields) {
  return bodyOf(
    connectApi.POST("/{project}/oauth_apps", { params: { path: { project } }, body: fields }),
  );
}

export async function updateOauthApp(
  project: string,
  id: string,
  fields: Partial<Omit<OauthAppFields, "app">>,
) {
  return bodyOf(
    connectApi.PUT("/{project}/oauth_apps/{id}", {
      params: { path: { project, id } },
      body: fields,
    }),
  );
}

export async function deleteOauthApp(project: string, id: string): Promise<void> {
  await connectApi.DELETE("/{project}/oauth_apps/{id}", { params: { path: { project, id } } });
}

/** A project's overrides of apps. */
export function overridesList(project: string, filter: Filter): List<AppOverride> {
  return {
    queryKey: ["connect", project, "app_overrides", filter],
    read: ({ signal, ...cursor }) =>
      bodyOf(
        connectApi.GET("/{project}/app_overrides", {
          params: { path: { project }, query: { ...cursor, ...filter } },
          signal,
        }),
      ),
  };
}

export type OverrideFields = {
  app: string;
  name: string;
  oauth_app_id: string | null;
  cfmap: Record<string, string>;
};

export async function createOverride(project: string, fields: OverrideFields) {
  return bodyOf(
    connectApi.POST("/{project}/app_overrides", { params: { path: { project } }, body: fields }),
  );
}

export async function updateOverride(
  project: string,
  id: string,
  fields: Omit<OverrideFields, "app">,
) {
  return bodyOf(
    connectApi.PUT("/{project}/app_overrides/{id}", {
      params: { path: { project, id } },
      body: fields,
    }),
  );
}

export async function deleteOverride(project: string, id: string): Promise<void> {
  await connectApi.DELETE("/{project}/app_overrides/{id}", { params: { path: { project, id } } });
}
