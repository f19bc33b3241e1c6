import { insertConsoleLink } from "#db/sessions.ts";
import { invalidInput, notFound } from "#domain/errors.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Id, newToken } from "#domain/ids.ts";
import { SIGN_IN_LINK_SECONDS } from "#domain/sessions.ts";

import type { AppContext } from "../context.ts";

/**
 * Create a link that signs in to the console once, as a user, as the operator, or both. Its secret is in the fragment,
 * which browsers send to no server: opening the link uses nothing up.
 */
export async function createConsoleLink(
  ctx: Pick<AppContext, "apiOrigin" | "db" | "now">,
  { user, isOperator }: { user: Id<"user"> | null; isOperator: boolean },
): Promise<{ url: string; expiresAt: number }> {
  if (user === null && !isOperator)
    throw invalidInput([{ path: "user_id", message: "is required unless is_operator is true" }]);
  const secret = newToken() + newToken();
  const now = ctx.now();
  const expiresAt = now + SIGN_IN_LINK_SECONDS;
  const hash = await sha256Hex(secret);
  const link = { hash, userId: user, isOperator, createdAt: now, expiresAt };
  if (!(await insertConsoleLink(ctx.db, link)) && user !== null) throw notFound("user", user);
  return { url: `${ctx.apiOrigin}/console/sign-in#link=${secret}`, expiresAt };
}
