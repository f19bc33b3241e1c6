import { deleteExpiredAgentTokens } from "#db/agent-grants.ts";
import {
  type Bearer,
  bearerByToken,
  type ConnectToken,
  deleteExpiredConnectTokens,
  insertConnectToken,
} from "#db/connect/connect-tokens.ts";
import { deleteExpiredOauthTokens } from "#db/connect/oauth-clients.ts";
import { CONNECT_TOKEN_PREFIX, exceedingScopes, scopesIn } from "#domain/connect.ts";
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

/** A new connect token, which is shown only once. */
export type IssuedConnectToken = { token: string; url: string; expiresAt: number };

/** Create a token with which the browser of one external user connects an account and reads its permitted resources. */
export async function createConnectToken(
  ctx: ProjectContext,
  { externalId, expiresIn, scope, ...input }: NewConnectToken,
): Promise<IssuedConnectToken> {
  if (ctx.caller.kind === "browser")
    throw new RequestError("forbidden", "A connect token makes no others");
  const granted = ctx.caller.kind === "client" ? ctx.caller.scope : "*";
  const scopes = scope === null ? null : grantedScopes(scope, granted);
  const { actor } = await asExternalUser(ctx, externalId);
  if (!isId("external_user", actor.id)) throw new Error(`${actor.id} is no external user`);
  return issueConnectToken(ctx, actor.id, {
    ...input,
    expiresIn,
    scope: scopes?.join(" ") ?? (granted === "*" ? null : granted),
  });
}

/** The scopes that a token requests. Refuses those that its maker lacks. */
function grantedScopes(scope: string, granted: string): string[] {
  const scopes = scopesIn(scope);
  if (!scopes) throw invalidInput([{ path: "scope", message: "names an unknown scope, or none" }]);
  const [exceeding] = exceedingScopes(scopes, granted);
  if (exceeding !== undefined)
    throw new RequestError("forbidden", `scope: the access token lacks ${exceeding} itself`);
  return scopes;
}

/** Create a connect token for an external user of a caller that may have one. */
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
  // Customers append `&app=` to it, as Pipedream's guide shows: so it already has a query.
  return { token, url: `${ctx.apiOrigin}/connect/${token}?connectLink=true`, expiresAt };
}

/** The grant of a connect token; undefined if it is unknown or has expired. */
export async function openConnectToken(
  ctx: Pick<AppContext, "db" | "now">,
  token: string,
): Promise<Bearer | undefined> {
  return bearerByToken(ctx.db, await sha256Hex(token), ctx.now());
}

/** Delete expired tokens and authorizations. Returns their number. */
export async function forgetTokens(ctx: Pick<AppContext, "db" | "now">): Promise<number> {
  const now = ctx.now();
  const counts = await Promise.all([
    deleteExpiredOauthTokens(ctx.db, now),
    deleteExpiredConnectTokens(ctx.db, now),
    deleteExpiredAgentTokens(ctx.db, now),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}
