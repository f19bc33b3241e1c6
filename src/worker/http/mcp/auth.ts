import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

import { ALL_GRANTS, AGENT_KINDS } from "#domain/agent-grants.ts";
import { AGENT_TOKEN_PREFIX } from "#domain/agent-tokens.ts";
import { allows } from "#domain/connect.ts";
import { invalidInput, notFound, RequestError } from "#domain/errors.ts";
import { sha256Hex } from "#domain/hash.ts";
import { isId } from "#domain/ids.ts";
import { requireMember } from "#services/access.ts";
import type { AgentContext, AgentCredentials } from "#services/agents/context.ts";
import { agentByToken } from "#services/agents/tokens.ts";
import { callerOf } from "#services/connect/callers.ts";
import {
  type Caller,
  type ConnectContext,
  contextOf,
  ensureUser,
  enterProject,
  type ProjectContext,
  rateOwnerOf,
} from "#services/connect/context.ts";

import { bearerOf } from "../authenticate.ts";
import { environmentOf } from "../connect/authenticate.ts";
import type { AppEnv } from "../env.ts";
import { withinRate } from "../rate-limit.ts";

/** The path of the metadata of the resource (RFC 9728, 3.1). */
const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource/mcp";

/** Resolve `Authorization: Bearer` to an agent: its user and its scopes. */
export const authenticateAgent = createMiddleware<AppEnv>(async (c, next) => {
  admitOrigin(c);
  const token = bearerOf(c.req.header("Authorization"));
  const agent = token === undefined ? undefined : await agentOf(c, token);
  if (!agent) {
    c.header("WWW-Authenticate", challengeOf(c));
    throw new RequestError("unauthorized", "A valid access token or API key is required");
  }
  c.set("agent", agent);
  await next();
});

/** The challenge to authorize (RFC 6750, 3; RFC 9728, 5.1). */
export function challengeOf(
  c: Context<AppEnv>,
  { error, scope = AGENT_KINDS.join(" ") }: { error?: string; scope?: string } = {},
): string {
  const metadata = `${c.var.platform.apiOrigin}${RESOURCE_METADATA_PATH}`;
  const refused = error === undefined ? "" : `error="${error}", `;
  return `Bearer ${refused}resource_metadata="${metadata}", scope="${scope}"`;
}

/** Refuse pages of other origins, which also prevents DNS rebinding. */
function admitOrigin(c: Context<AppEnv>): void {
  const origin = c.req.header("Origin");
  if (origin === undefined || isOwnOrigin(c, origin)) return;
  throw new RequestError("forbidden", `Pages of ${origin} may not use this`);
}

function isOwnOrigin(c: Context<AppEnv>, origin: string): boolean {
  const { ownOrigins } = c.var.platform;
  if (ownOrigins.length > 0) return ownOrigins.includes(origin);
  const { origin: requestedOrigin, protocol, hostname } = new URL(c.req.url);
  const isCertain = protocol === "https:" || ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
  return isCertain && origin === requestedOrigin;
}

async function agentOf(c: Context<AppEnv>, token: string): Promise<AgentContext | undefined> {
  const keyHash = await sha256Hex(token);
  if (token.startsWith(AGENT_TOKEN_PREFIX))
    return withinRate(c, { keyHash, ownerOf: rateOwnerOfAgent }, () =>
      agentByToken(c.var.platform, keyHash),
    );
  const caller = await withinRate(c, { keyHash, ownerOf: rateOwnerOf }, () =>
    callerOf(c.var.platform, token, keyHash),
  );
  if (!caller) return undefined;
  const ctx: ConnectContext = { ...c.var.platform, caller, keyHash };
  const project = await projectOf(c, ctx);
  return project ? forExternalUser(c, project) : forUser(c, ctx);
}

function rateOwnerOfAgent({ owner, project }: AgentContext): string {
  return project ? project.project.id : owner;
}

/** The project in a request; undefined: it acts for the user of its API key. */
async function projectOf(
  c: Context<AppEnv>,
  ctx: ConnectContext,
): Promise<ProjectContext | undefined> {
  const id = c.req.header("x-pd-project-id") || undefined;
  if (id !== undefined && !isId("project", id)) throw notFound("project", id);
  if (id === undefined && ctx.caller.kind === "user") return undefined;
  if (id === undefined && ctx.caller.kind === "client")
    throw invalidInput([{ path: "x-pd-project-id", message: "is required" }]);
  return enterProject(ctx, id, environmentOf(c.req.header("x-pd-environment")));
}

async function forExternalUser(c: Context<AppEnv>, project: ProjectContext): Promise<AgentContext> {
  admitCaller(project.caller);
  const externalId = c.req.header("x-pd-external-user-id") || undefined;
  if (externalId === undefined && project.caller.kind !== "browser")
    throw invalidInput([{ path: "x-pd-external-user-id", message: "is required" }]);
  const externalUser = await ensureUser(project, externalId);
  const user = await contextOf(project, externalUser);
  const { keyHash } = project;
  return {
    ...user,
    keyHash,
    owner: user.actor.id,
    grants: ALL_GRANTS,
    credentials: credentialsOf(project),
    project,
    quotas: externalUser,
    isOfConnectToken: project.caller.kind === "browser",
  };
}

/** An access token of an OAuth client is renewed every hour: its agents depend on the client instead. */
function credentialsOf({ caller, keyHash }: ConnectContext): AgentCredentials {
  if (caller.kind === "client")
    return { authorizedBy: null, credential: caller.client.id, expiresAt: null };
  if (caller.kind === "user")
    return { authorizedBy: caller.user.id, credential: keyHash, expiresAt: null };
  const { expiresAt } = caller.bearer.token;
  return { authorizedBy: null, credential: keyHash, expiresAt };
}

/** The Connect API scopes that an agent needs; a narrower token grants no more here than in the Connect API. */
const CONNECT_KINDS = ["accounts", "actions", "components"];

function admitCaller(caller: Caller): void {
  if (caller.kind === "user") return;
  const scope = caller.kind === "client" ? caller.scope : (caller.bearer.token.scope ?? "*");
  const lacking = CONNECT_KINDS.find((kind) => !allows(scope, kind, "write"));
  if (lacking !== undefined)
    throw new RequestError("forbidden", `The token lacks the scope connect:${lacking}:write`);
}

async function forUser(c: Context<AppEnv>, ctx: ConnectContext): Promise<AgentContext> {
  if (ctx.caller.kind !== "user") throw new RequestError("forbidden", "The token names no project");
  const { user: actor } = ctx.caller;
  const named = c.req.query("workspace_id") || c.req.query("org_id") || undefined;
  const access = { grants: ALL_GRANTS, credentials: credentialsOf(ctx) };
  if (named === undefined) return { ...ctx, actor, owner: actor.id, ...access };
  if (!isId("workspace", named))
    throw invalidInput([{ path: "workspace_id", message: "must be the id of a workspace" }]);
  await requireMember({ ...ctx, actor }, named);
  return { ...ctx, actor, workspace: named, owner: named, ...access };
}
