import type { Bearer } from "#db/connect/connect-tokens.ts";
import {
  ensureExternalUser,
  type ExternalUser,
  externalUserOf,
} from "#db/connect/external-users.ts";
import type { OauthClient } from "#db/connect/oauth-clients.ts";
import { type Project, projectById, type ProjectScope } from "#db/connect/projects.ts";
import { termsOf } from "#db/owners.ts";
import type { User } from "#db/users.ts";
import { NO_AGENT_QUOTAS } from "#domain/agent-quotas.ts";
import type { Environment } from "#domain/connect.ts";
import { invalidInput, notFound, RequestError } from "#domain/errors.ts";
import { type Id, newId } from "#domain/ids.ts";

import type { AppContext, Context } from "../context.ts";

/** The caller: a user with an API key, a customer's program, or the browser of an external user. */
export type Caller =
  | { kind: "user"; user: User }
  | { kind: "client"; client: OauthClient; scope: string }
  | { kind: "browser"; bearer: Bearer };

/** The platform's context and the caller of the Connect API. */
export type ConnectContext = AppContext & {
  /** Identifies the key or the token that was presented. */
  readonly keyHash: string;
  readonly caller: Caller;
};

/** The platform's context, the caller, and the project and environment of the request. */
export type ProjectContext = ConnectContext & {
  readonly project: Project;
  readonly environment: Environment;
};

/** The projects that a caller may access. A browser may access the one of its token. */
export function projectsOf(caller: Caller): ProjectScope {
  if (caller.kind === "user") return { user: caller.user.id };
  if (caller.kind === "client")
    return { owner: caller.client.ownerId, only: caller.client.projectId };
  const { ownerId, id } = caller.bearer.project;
  return { owner: ownerId, only: id };
}

/** The owner whose limit of requests a caller shares: the browsers of a project's users share that of the project. */
export function rateOwnerOf(caller: Caller): string {
  if (caller.kind === "user") return caller.user.id;
  return caller.kind === "client" ? caller.client.ownerId : caller.bearer.project.id;
}

/**
 * Enter an environment of a project. Refuses a project that the caller may not access, and for a browser an environment
 * other than that of its token. Undefined id or environment: those of the token.
 */
export async function enterProject(
  ctx: ConnectContext,
  id: Id<"project"> | undefined,
  environment: Environment | undefined,
): Promise<ProjectContext> {
  const { caller } = ctx;
  if (caller.kind === "browser") {
    admitBrowser(caller.bearer, id, environment);
    const { project, externalUser } = caller.bearer;
    return { ...ctx, project, environment: externalUser.environment };
  }
  if (id === undefined) throw new RequestError("not_found", "The path names no project");
  const project = await projectById(ctx.db, projectsOf(caller), id);
  if (!project) throw notFound("project", id);
  return { ...ctx, project, environment: environment ?? "production" };
}

function admitBrowser(
  { project, externalUser }: Bearer,
  id = project.id,
  environment = externalUser.environment,
): void {
  if (id !== project.id) throw notFound("project", id);
  if (environment !== externalUser.environment)
    throw new RequestError("forbidden", `The token is for ${externalUser.environment}`);
}

/**
 * The context in which services act for an external user, by the customer's id; the user is created if there is none
 * yet. A browser acts for the one user of its token, and need not name it. Nobody else sees that user's resources.
 */
export async function asExternalUser(
  ctx: ProjectContext,
  externalId: string | undefined,
): Promise<Context> {
  return contextOf(ctx, await ensureUser(ctx, externalId));
}

/** The external user of `asExternalUser`. */
export async function ensureUser(
  ctx: ProjectContext,
  externalId: string | undefined,
): Promise<ExternalUser> {
  const { project, environment } = ctx;
  const wanted = externalUserIdOf(ctx, externalId);
  const at = ctx.now();
  return ensureExternalUser(ctx.db, {
    id: newId("external_user"),
    projectId: project.id,
    environment,
    externalId: wanted,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
    ...NO_AGENT_QUOTAS,
  });
}

/** Like `asExternalUser`, but undefined for an unknown user. */
export async function asKnownUser(
  ctx: ProjectContext,
  externalId: string | undefined,
): Promise<Context | undefined> {
  const { project, environment } = ctx;
  const wanted = externalUserIdOf(ctx, externalId);
  const user = await externalUserOf(ctx.db, { project: project.id, environment }, wanted);
  return user && contextOf(ctx, user);
}

/** The context in which services act for an external user of this environment. */
export async function contextOf(
  ctx: ProjectContext,
  { id }: Pick<ExternalUser, "id">,
): Promise<Context> {
  const terms = await termsOf(ctx.db, id);
  if (!terms) throw notFound("external_user", id);
  const { plan, payerId, email: _, ...quotas } = terms;
  return { ...ctx, actor: { id, plan, ...quotas }, payer: payerId };
}

/** The external user of a request, by the customer's id: the named one, or for a browser that of its token. */
export function externalUserIdOf(
  { caller }: Pick<ProjectContext, "caller">,
  externalId: string | undefined,
): string {
  if (caller.kind !== "browser") return checkedId(externalId ?? "");
  const { externalId: own } = caller.bearer.externalUser;
  if (externalId === undefined || externalId === own) return own;
  throw new RequestError("forbidden", "external_user_id: the token is for another user");
}

function checkedId(id: string): string {
  const isShort = id.length <= MAX_EXTERNAL_ID;
  if (id !== "" && isShort) return id;
  const message = isShort ? "is required" : `may have at most ${MAX_EXTERNAL_ID} characters`;
  throw invalidInput([{ path: "external_user_id", message }]);
}

const MAX_EXTERNAL_ID = 250;
