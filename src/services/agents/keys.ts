import * as store from "#db/agent-grants.ts";
import { grantsIn, scopeOf } from "#domain/agent-grants.ts";
import type { Environment } from "#domain/connect.ts";
import { invalidInput, notFound, RequestError } from "#domain/errors.ts";
import { type Id, newId, type OwnerId } from "#domain/ids.ts";

import { ownerFor } from "../access.ts";
import { asExternalUser, enterProject } from "../connect/context.ts";
import type { UserContext } from "../context.ts";
import { endRevokedSubscriptions } from "./subscriptions/end.ts";
import { newAgentToken, resourceOf } from "./tokens.ts";

export type { AgentGrant } from "#db/agent-grants.ts";

/** An external user of a project that an agent may act for. */
export type ExternalUserName = {
  project: Id<"project">;
  environment: Environment | undefined;
  externalId: string;
};

/** A key for an agent: its name, its scopes and its user, by default the creator. */
export type NewAgentKey = {
  name: string;
  scope: string;
  workspace?: Id<"workspace"> | undefined;
  externalUser?: ExternalUserName | undefined;
};

/** Maximum keys and authorized clients of a user. */
const MAX_GRANTS = 200;

/** Create a key for an agent. It is returned only here. */
export async function createAgentKey(
  ctx: UserContext,
  { name, scope, workspace, externalUser }: NewAgentKey,
): Promise<store.AgentGrant & { key: string }> {
  const grants = grantsIn(scope);
  if (!grants) throw invalidInput([{ path: "scope", message: SCOPE_RULE }]);
  if ((await listAgentGrants(ctx)).length >= MAX_GRANTS)
    throw new RequestError("conflict", `A user may have at most ${MAX_GRANTS} agents`);
  const ownerId = externalUser
    ? await ownerOfExternal(ctx, externalUser)
    : await ownerFor(ctx, workspace);
  const { token: key, hash } = await newAgentToken();
  const grant: store.AgentGrant = {
    id: newId("agent_grant"),
    ownerId,
    userId: ctx.actor.id,
    clientId: null,
    name,
    scope: scopeOf(grants),
    resource: resourceOf(ctx),
    createdAt: ctx.now(),
  };
  const token = { hash, grantId: grant.id, kind: "key", terms: null, usedAt: null } as const;
  await store.insertAgentGrant(ctx.db, grant, { ...token, expiresAt: null });
  return { ...grant, key };
}

/** The owner for an external user of one of the actor's projects; created if there is none yet. */
export async function ownerOfExternal(
  ctx: Omit<UserContext, "workspaces">,
  { project: id, environment, externalId }: ExternalUserName,
): Promise<OwnerId> {
  const caller = { kind: "user" as const, user: ctx.actor };
  const project = await enterProject({ ...ctx, caller }, id, environment);
  const { actor } = await asExternalUser(project, externalId);
  return actor.id;
}

/** The keys that the actor created, and the clients that the actor authorized, newest first. */
export function listAgentGrants(
  ctx: Pick<UserContext, "actor" | "db">,
): Promise<store.AgentGrant[]> {
  return store.agentGrantsOf(ctx.db, ctx.actor.id, MAX_GRANTS);
}

/** Revoke a key or a client: its tokens become invalid, and its subscriptions end. */
export async function revokeAgentGrant(ctx: UserContext, id: Id<"agent_grant">): Promise<void> {
  const existed = await store.deleteAgentGrant(ctx.db, id, ctx.actor.id);
  if (!existed) throw notFound("agent_grant", id);
  await endRevokedSubscriptions(ctx, { of: "grantId", id });
}

const SCOPE_RULE =
  "must name read, act or subscribe, and may name app:… and account:… to narrow them, separated by spaces";
