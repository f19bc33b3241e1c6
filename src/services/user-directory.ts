import * as store from "#db/user-directory.ts";
import { notFound, RequestError } from "#domain/errors.ts";
import type { Id } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { AppContext } from "./context.ts";
import { type Quotas, setQuotas } from "./quotas.ts";

export type { ListedKey, ListedUser } from "#db/user-directory.ts";

/** The users of the deployment, newest first. */
export function listUsers(
  ctx: Pick<AppContext, "db">,
  request: PageRequest & { q?: string | undefined },
): Promise<Page<store.ListedUser>> {
  return store.pageOfUsers(ctx.db, request);
}

export async function readUser(
  ctx: Pick<AppContext, "db">,
  id: Id<"user">,
): Promise<store.ListedUser> {
  const user = await store.listedUser(ctx.db, id);
  if (!user) throw notFound("user", id);
  return user;
}

/** Change a user; absent fields stay. Sources and workflows are notified like of quotas. */
export async function updateUser(
  ctx: AppContext,
  id: Id<"user">,
  { quotas, ...change }: store.UserChange & { quotas: Partial<Quotas> },
): Promise<store.ListedUser> {
  const isFree = await store.updateUser(ctx.db, id, { ...change, updatedAt: ctx.now() });
  if (!isFree)
    throw new RequestError("conflict", `email: another user has the address ${change.email}`);
  await setQuotas(ctx, id, quotas);
  return readUser(ctx, id);
}

/** The keys of a user, without the keys themselves. */
export async function listApiKeys(
  ctx: Pick<AppContext, "db">,
  user: Id<"user">,
): Promise<store.ListedKey[]> {
  const keys = await store.keysOf(ctx.db, user);
  if (!keys) throw notFound("user", user);
  return keys;
}
