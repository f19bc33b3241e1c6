import { bearerByToken } from "#db/connect/connect-tokens.ts";
import { clientByToken } from "#db/connect/oauth-clients.ts";
import { CONNECT_TOKEN_PREFIX } from "#domain/connect.ts";

import type { AppContext } from "../context.ts";
import { ownerOfKey } from "../keys.ts";
import type { Caller } from "./context.ts";
import { ACCESS_TOKEN_PREFIX } from "./oauth-clients.ts";

/** The caller that presents a token or a key (`hash`: its SHA-256 in hex); undefined if it is not valid (any more). */
export async function callerOf(
  ctx: Pick<AppContext, "db" | "inBackground" | "now" | "requestId">,
  token: string,
  hash: string,
): Promise<Caller | undefined> {
  const { db, now } = ctx;
  if (token.startsWith(CONNECT_TOKEN_PREFIX)) {
    const bearer = await bearerByToken(db, hash, now());
    return bearer && { kind: "browser", bearer };
  }
  if (token.startsWith(ACCESS_TOKEN_PREFIX)) {
    const found = await clientByToken(db, hash, now());
    return found && { kind: "client", ...found };
  }
  const owner = await ownerOfKey(ctx, hash);
  return owner && { kind: "user", user: owner.user };
}
