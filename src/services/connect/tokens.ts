import { deleteExpiredAgentTokens } from "#db/agent-grants.ts";
import {
  type Bearer,
  bearerByToken,
  type ConnectToken,
  deleteExpiredConnectTokens,
  insertConnectToken,
} from "#db/connect/connect-tokens.ts";
import { deleteExpiredOauthTokens } from "#db/connect/oauth-clients.ts";
import { CONNECT_TOKEN_PREFIX, scopesIn } from "#domain/connect.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Id, isId, newToken } from "#domain/ids.ts";

import type { AppContext } from "../context.ts";
import { asExternalUser, type ProjectContext } from "./context.ts";

export type NewConnectToken = Pick<
  ConnectToken,
  | "app"
  | "oauthAppId"
  | "allowedOrigins"
  | "successRedirectUri"
  | "errorRedirectUri"
  | "webhookUri"
  | "scope"
  | "allowProgressiveScopes"
> & {
  externalId: string;
  /** Seconds. */
  expiresIn: number;
};

/** A connect token on the one occasion when it can be seen. */
export type IssuedConnectToken = { token: string; url: string; expiresAt: number };

/** Create a token with which the browser of one external user connects an account, and reads its permitted resources until then. */
export async function createConnectToken(
  ctx: ProjectContext,
  { externalId, expiresIn, scope, ...input }: NewConnectToken,
): Promise<IssuedConnectToken> {
  if (ctx.caller.kind === "browser")
    throw new RequestError("forbidden", "A connect token makes no others");
  const scopes = scope === null ? null : scopesIn(scope);
  if (scopes === undefined)
    throw invalidInput([{ path: "scope", message: "names a scope that there is not, or none" }]);
  const { actor } = await asExternalUser(ctx, externalId);
  if (!isId("external_user", actor.id)) throw new Error(`${actor.id} is no external user`);
  return issueConnectToken(ctx, actor.id, {
    ...input,
    expiresIn,
    scope: scopes?.join(" ") ?? null,
  });
}

/** Make a connect token of an external user whose caller may have one. */
export async function issueConnectToken(
  ctx: Pick<AppContext, "apiOrigin" | "db" | "now">,
  externalUserId: Id<"external_user">,
  { expiresIn, ...input }: Omit<NewConnectToken, "externalId">,
): Promise<IssuedConnectToken> {
  const token = CONNECT_TOKEN_PREFIX + newToken() + newToken();
  const now = ctx.now();
  const expiresAt = now + expiresIn;
  await insertConnectToken(ctx.db, {
    hash: await sha256Hex(token),
    externalUserId,
    ...input,
    accountId: null,
    expiresAt,
    createdAt: now,
  });
  // Customers put `&app=` behind it, as Pipedream's guide has them do: so it has a query already.
  return { token, url: `${ctx.apiOrigin}/connect/${token}?connectLink=true`, expiresAt };
}

/** The grant of a connect token; undefined if it is unknown or has expired. */
export async function openConnectToken(
  ctx: Pick<AppContext, "db" | "now">,
  token: string,
): Promise<Bearer | undefined> {
  return bearerByToken(ctx.db, await sha256Hex(token), ctx.now());
}

/** Delete tokens and authorizations that have expired. Returns how many. */
export async function forgetTokens(ctx: Pick<AppContext, "db" | "now">): Promise<number> {
  const now = ctx.now();
  const counts = await Promise.all([
    deleteExpiredOauthTokens(ctx.db, now),
    deleteExpiredConnectTokens(ctx.db, now),
    deleteExpiredAgentTokens(ctx.db, now),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}
