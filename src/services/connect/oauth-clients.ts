import * as store from "#db/connect/oauth-clients.ts";
import { projectById } from "#db/connect/projects.ts";
import { ACCESS_TOKEN_SECONDS, scopesIn } from "#domain/connect.ts";
import { notFound, RequestError } from "#domain/errors.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Id, newId, newToken } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import { endRevokedSubscriptions } from "../agents/subscriptions/end.ts";
import type { AppContext } from "../context.ts";
import type { ConnectContext } from "./context.ts";
import { authorOf } from "./projects.ts";

export type { OauthClient } from "#db/connect/oauth-clients.ts";

/** The prefix of access tokens: an API key never has it, because it has no underscore. */
export const ACCESS_TOKEN_PREFIX = "wsat_";

/** Create an OAuth client of a user's, or of the project's owner. The secret is returned only here. */
export async function createOauthClient(
  ctx: ConnectContext,
  {
    name,
    projectId,
    workspace,
  }: {
    name: string;
    projectId?: Id<"project"> | undefined;
    workspace?: Id<"workspace"> | undefined;
  },
): Promise<store.OauthClient & { secret: string }> {
  if (ctx.caller.kind !== "user")
    throw new RequestError("forbidden", "OAuth clients are made with an API key");
  const scope = { user: ctx.caller.user.id };
  const project = projectId && (await projectById(ctx.db, scope, projectId));
  if (projectId !== undefined && !project) throw notFound("project", projectId);
  const author = await authorOf(ctx, workspace);
  const secret = newToken() + newToken();
  const client = await store.insertOauthClient(ctx.db, {
    id: newId("oauth_client"),
    userId: author.userId,
    ownerId: project?.ownerId ?? author.ownerId,
    projectId: projectId ?? null,
    name,
    secretHash: await sha256Hex(secret),
    createdAt: ctx.now(),
  });
  return { ...client, secret };
}

export function listOauthClients(
  ctx: Pick<ConnectContext, "caller" | "db">,
  request: PageRequest,
): Promise<Page<store.OauthClient>> {
  return store.pageOfOauthClients(ctx.db, userOf(ctx), request);
}

/** Revoke a client: it gets no further tokens, its tokens become invalid, and subscriptions of its agents end. */
export async function revokeOauthClient(
  ctx: ConnectContext,
  id: Id<"oauth_client">,
): Promise<void> {
  const existed = await store.deleteOauthClient(ctx.db, userOf(ctx), id);
  if (!existed) throw notFound("oauth_client", id);
  await endRevokedSubscriptions(ctx, { of: "credential", id });
}

/** Issue an access token for client credentials (RFC 6749, 4.4); undefined if they are not valid. */
export async function issueAccessToken(
  ctx: Pick<AppContext, "db" | "now">,
  {
    clientId,
    clientSecret,
    scope = "*",
  }: { clientId: string; clientSecret: string; scope?: string | undefined },
): Promise<
  { token: string; expiresIn: number; scope: string } | { error: "invalid_scope" } | undefined
> {
  const secretHash = await sha256Hex(clientSecret);
  const client = await store.oauthClientBySecret(ctx.db, { id: clientId, secretHash });
  if (!client) return undefined;
  const scopes = scopesIn(scope);
  if (!scopes) return { error: "invalid_scope" };
  const token = ACCESS_TOKEN_PREFIX + newToken() + newToken();
  await store.insertOauthToken(ctx.db, {
    hash: await sha256Hex(token),
    clientId: client.id,
    scope: scopes.join(" "),
    expiresAt: ctx.now() + ACCESS_TOKEN_SECONDS,
  });
  return { token, expiresIn: ACCESS_TOKEN_SECONDS, scope: scopes.join(" ") };
}

function userOf({ caller }: Pick<ConnectContext, "caller">): Id<"user"> {
  if (caller.kind === "user") return caller.user.id;
  throw new RequestError("forbidden", "OAuth clients are managed with an API key");
}
