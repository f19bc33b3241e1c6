import * as store from "#db/connect/project-oauth-apps.ts";
import type { OauthEndpoints } from "#domain/app-overrides.ts";
import type { App } from "#domain/apps.ts";
import { invalidInput, notFound } from "#domain/errors.ts";
import { type Id, newId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";
import { keyIdOf } from "#vault/envelope.ts";

import type { AppContext } from "../context.ts";
import { getApp } from "./apps.ts";
import type { ProjectContext } from "./context.ts";

export type { ProjectOauthApp } from "#db/connect/project-oauth-apps.ts";

/** A customer's client at a provider. */
export type OauthAppInput = {
  app: string;
  clientId: string;
  clientSecret: string;
  name?: string | undefined;
  description?: string | undefined;
  /** Replaces the app's own scopes. */
  scopes?: string[] | undefined;
  /** Requested beside the app's own scopes. */
  additionalScopes?: string[] | undefined;
  /** The settings of signing in by it; null: the operator's settings of the app. */
  endpoints?: OauthEndpoints | null | undefined;
};

/** Absent: unchanged. */
export type OauthAppChange = {
  [K in Exclude<keyof OauthAppInput, "app">]?: OauthAppInput[K] | undefined;
};

/** Add a client at a provider to a project. Its secret is stored sealed and never returned. */
export async function createProjectOauthApp(
  ctx: ProjectContext,
  { app: slug, clientId, clientSecret, ...more }: OauthAppInput,
): Promise<store.ProjectOauthApp> {
  const app = await oauthAppIn(ctx, slug);
  const id = newId("oauth_app");
  const at = ctx.now();
  return store.insertProjectOauthApp(ctx.db, {
    id,
    projectId: ctx.project.id,
    app: app.slug,
    name: more.name ?? app.name,
    description: more.description ?? null,
    clientId,
    ...(await sealed(ctx, id, clientSecret)),
    scopes: more.scopes ?? null,
    additionalScopes: more.additionalScopes ?? null,
    endpoints: more.endpoints ?? null,
    createdAt: at,
    updatedAt: at,
  });
}

export function listProjectOauthApps(
  { db, project }: Pick<ProjectContext, "db" | "project">,
  request: PageRequest & { app?: string | undefined; q?: string | undefined },
): Promise<Page<store.ProjectOauthApp>> {
  return store.pageOfProjectOauthApps(db, project.id, request);
}

export async function getProjectOauthApp(
  { db, project }: Pick<ProjectContext, "db" | "project">,
  id: Id<"oauth_app">,
): Promise<store.ProjectOauthApp> {
  const found = await store.projectOauthApp(db, { project: project.id, id });
  if (!found) throw notFound("oauth_app", id);
  return found;
}

/** Change a client. Accounts that it connected are refreshed with its new secret. */
export async function updateProjectOauthApp(
  ctx: ProjectContext,
  id: Id<"oauth_app">,
  { clientSecret, ...change }: OauthAppChange,
): Promise<store.ProjectOauthApp> {
  const updated = await store.updateProjectOauthApp(
    ctx.db,
    { project: ctx.project.id, id, at: ctx.now() },
    {
      ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
      ...(clientSecret !== undefined && (await sealed(ctx, id, clientSecret))),
    },
  );
  if (!updated) throw notFound("oauth_app", id);
  return updated;
}

/** Delete a client. Accounts that it connected work until their tokens expire. */
export async function deleteProjectOauthApp(
  { db, project }: Pick<ProjectContext, "db" | "project">,
  id: Id<"oauth_app">,
): Promise<void> {
  if (!(await store.deleteProjectOauthApp(db, { project: project.id, id })))
    throw notFound("oauth_app", id);
}

/** The seal's place of a client's secret. */
export function placeOfSecret(id: Id<"oauth_app">): string[] {
  return ["project_oauth_app", id];
}

async function oauthAppIn(ctx: Pick<AppContext, "catalogue" | "db">, slug: string): Promise<App> {
  const app = await getApp(ctx, slug).catch(() => undefined);
  if (app) return app;
  throw invalidInput([{ path: "app", message: `there is no app ${slug}` }]);
}

async function sealed({ vault }: Pick<AppContext, "vault">, id: Id<"oauth_app">, secret: string) {
  const clientSecret = await vault.seal(secret, placeOfSecret(id));
  return { clientSecret, keyId: keyIdOf(clientSecret) };
}
