import * as store from "#db/agent-grants.ts";
import { type AgentClient, type CodeTerms, TOKEN_SECONDS } from "#domain/agent-tokens.ts";
import { areEqual, sha256Hex } from "#domain/hash.ts";
import { type Id, newId, type OwnerId } from "#domain/ids.ts";

import type { AppContext } from "../context.ts";
import { endRevokedSubscriptions } from "./subscriptions/end.ts";
import { newAgentToken, resourceOf } from "./tokens.ts";

/** The user who authorizes a client, the client's owner, and the scopes. */
export type AgentAuthorization = {
  owner: OwnerId;
  userId: Id<"user"> | null;
  client: AgentClient;
  scope: string;
  terms: CodeTerms;
};

/** Authorize a client. Returns the code that it exchanges for tokens. */
export async function authorizeAgent(
  ctx: Pick<AppContext, "apiOrigin" | "db" | "now">,
  { owner, userId, client, scope, terms }: AgentAuthorization,
): Promise<string> {
  const { token, hash } = await newAgentToken();
  const now = ctx.now();
  const id = newId("agent_grant");
  await store.insertAgentGrant(
    ctx.db,
    {
      id,
      ownerId: owner,
      userId,
      clientId: client.id,
      name: client.name,
      scope,
      resource: resourceOf(ctx),
      createdAt: now,
    },
    { hash, grantId: id, kind: "code", terms, usedAt: null, expiresAt: now + TOKEN_SECONDS.code },
  );
  return token;
}

/** A client's token request. */
export type CodeExchange = {
  code: string;
  clientId: string;
  redirectUri: string;
  codeVerifier: string;
};

export type AgentTokens = { access: string; refresh: string; expiresIn: number; scope: string };

/** Exchange a code for tokens. Undefined: it is not valid. Presenting a code twice revokes all of its grant. */
export async function exchangeCode(
  ctx: AppContext,
  { code, clientId, redirectUri, codeVerifier }: CodeExchange,
): Promise<AgentTokens | undefined> {
  const hash = await sha256Hex(code);
  const found = await store.agentToken(ctx.db, hash, ctx.now());
  const terms = found?.token.terms;
  if (found?.token.kind !== "code" || !terms || found.grant.clientId !== clientId) return undefined;
  const isProven = await areEqual(await challengeOf(codeVerifier), terms.codeChallenge);
  if (!isProven || terms.redirectUri !== redirectUri) return undefined;
  return issueFor(ctx, found);
}

/** Exchange a refresh token for new tokens. Undefined: it is not valid. A token presented twice counts as stolen. */
export async function refreshAgentTokens(
  ctx: AppContext,
  { refreshToken, clientId }: { refreshToken: string; clientId: string },
): Promise<AgentTokens | undefined> {
  const found = await store.agentToken(ctx.db, await sha256Hex(refreshToken), ctx.now());
  if (found?.token.kind !== "refresh" || found.grant.clientId !== clientId) return undefined;
  return issueFor(ctx, found);
}

/** Revoke all tokens of one authorization, by any of them (RFC 7009). */
export async function revokeAgentToken(ctx: AppContext, token: string): Promise<void> {
  const found = await store.agentToken(ctx.db, await sha256Hex(token), ctx.now());
  if (!found || found.grant.clientId === null) return;
  await revokeGrant(ctx, found.grant.id);
}

async function revokeGrant(ctx: AppContext, id: Id<"agent_grant">): Promise<void> {
  await store.deleteAgentGrant(ctx.db, id);
  await endRevokedSubscriptions(ctx, { of: "grantId", id });
}

async function issueFor(
  ctx: AppContext,
  { token: { hash }, grant }: { token: store.AgentToken; grant: store.AgentGrant },
): Promise<AgentTokens | undefined> {
  const now = ctx.now();
  const [access, refresh] = [await newAgentToken(), await newAgentToken()];
  const issued = [
    { kind: "access" as const, hash: access.hash },
    { kind: "refresh" as const, hash: refresh.hash },
  ].map((one) => ({
    ...one,
    grantId: grant.id,
    terms: null,
    usedAt: null,
    expiresAt: now + TOKEN_SECONDS[one.kind],
  }));
  const isFirst =
    grant.resource === resourceOf(ctx) &&
    (await store.exchangeAgentToken(ctx.db, { hash, at: now }, issued));
  if (!isFirst) {
    await revokeGrant(ctx, grant.id);
    return undefined;
  }
  const { scope } = grant;
  return { access: access.token, refresh: refresh.token, expiresIn: TOKEN_SECONDS.access, scope };
}

/** The S256 challenge of a verifier (RFC 7636, 4.2). */
async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true });
}
