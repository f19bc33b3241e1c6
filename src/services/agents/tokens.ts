import * as store from "#db/agent-grants.ts";
import { type Bearer, userInProject } from "#db/connect/connect-tokens.ts";
import { projectById } from "#db/connect/projects.ts";
import { userById } from "#db/users.ts";
import { grantsIn } from "#domain/agent-grants.ts";
import { AGENT_TOKEN_PREFIX } from "#domain/agent-tokens.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Id, isId, newToken } from "#domain/ids.ts";

import { requireMember } from "../access.ts";
import { contextOf, type ProjectContext } from "../connect/context.ts";
import type { AppContext } from "../context.ts";
import type { AgentContext } from "./context.ts";

/** The one resource that agents' tokens are for: the MCP endpoint. */
export function resourceOf({ apiOrigin }: Pick<AppContext, "apiOrigin">): string {
  return `${apiOrigin}/mcp`;
}

/** A new token, of which only the hash is stored. */
export async function newAgentToken(): Promise<{ token: string; hash: string }> {
  const token = AGENT_TOKEN_PREFIX + newToken() + newToken();
  return { token, hash: await sha256Hex(token) };
}

/**
 * The grant of an access token or a key; undefined if it is invalid, for another resource, or its owner was deleted.
 */
export async function agentByToken(
  ctx: AppContext,
  keyHash: string,
): Promise<AgentContext | undefined> {
  const found = await store.agentToken(ctx.db, keyHash, ctx.now());
  if (!found || !["access", "key"].includes(found.token.kind)) return undefined;
  const { grant } = found;
  const grants = grantsIn(grant.scope);
  if (!grants || grant.resource !== resourceOf(ctx)) return undefined;
  const keyed = { ...ctx, keyHash };
  const { ownerId } = grant;
  const agent = isId("external_user", ownerId)
    ? await forExternalUser(keyed, { ...grant, ownerId })
    : await forUser(keyed, grant);
  const credentials = { authorizedBy: grant.userId, credential: null, expiresAt: null };
  return agent && { ...agent, grants, grant, credentials };
}

type GrantlessContext = Omit<AgentContext, "credentials" | "grants">;
type KeyedContext = AppContext & { keyHash: string };

async function forUser(
  ctx: KeyedContext,
  { ownerId: owner, userId }: store.AgentGrant,
): Promise<GrantlessContext | undefined> {
  const actor = userId === null ? undefined : await userById(ctx.db, userId);
  if (!actor) return undefined;
  if (!isId("workspace", owner)) return { ...ctx, actor, owner };
  await requireMember({ ...ctx, actor }, owner);
  return { ...ctx, actor, workspace: owner, owner };
}

/** Check that the user who authorized the agent still has access to the project. */
async function forExternalUser(
  ctx: KeyedContext,
  { ownerId: owner, userId }: store.AgentGrant & { ownerId: Id<"external_user"> },
): Promise<GrantlessContext | undefined> {
  const place = await userInProject(ctx.db, owner);
  if (!place) return undefined;
  if (userId !== null && !(await projectById(ctx.db, { user: userId }, place.project.id)))
    return undefined;
  const project = asBrowser(ctx, place);
  const user = await contextOf(project, place.externalUser);
  return { ...user, keyHash: ctx.keyHash, owner, project, quotas: place.externalUser };
}

/** An agent has the access to its project that its user's browser has. */
function asBrowser(
  ctx: KeyedContext,
  { externalUser, project }: Pick<Bearer, "externalUser" | "project">,
): ProjectContext {
  const token = {
    hash: ctx.keyHash,
    externalUserId: externalUser.id,
    app: null,
    oauthAppId: null,
    allowedOrigins: [],
    successRedirectUri: null,
    errorRedirectUri: null,
    webhookUri: null,
    scope: null,
    allowProgressiveScopes: null,
    accountId: null,
    expiresAt: 0,
    createdAt: 0,
  };
  const caller = { kind: "browser" as const, bearer: { token, externalUser, project } };
  return { ...ctx, caller, project, environment: externalUser.environment };
}
