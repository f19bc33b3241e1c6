import type { Bearer } from "#db/connect/connect-tokens.ts";
import type { App } from "#domain/apps.ts";

import type { AppContext } from "../context.ts";
import { EXPIRED, isDead, type LinkQuery, openLink } from "./link.ts";
import { openConnectToken } from "./tokens.ts";

/** The grant of a connect token, and the named app to connect, if any; or the problem with it. */
export type Validation = { bearer?: Bearer; app?: App; query: LinkQuery; error?: string };

/** Check a connect token without using it. No bearer: it is unknown or has expired. */
export async function validateToken(
  ctx: AppContext,
  token: string,
  query: LinkQuery,
): Promise<Validation> {
  const bearer = await openConnectToken(ctx, token);
  if (!bearer) return { query, error: EXPIRED };
  if ((query.app ?? bearer.token.app) === null && bearer.token.accountId === null)
    return { bearer, query };
  const link = await openLink(ctx, token, query);
  if (isDead(link)) return { bearer, query, error: link.refusal };
  return { bearer, query, app: link.app };
}
