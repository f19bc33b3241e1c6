import { type AccountUses, usesOf } from "#db/account-uses.ts";
import { RequestError } from "#domain/errors.ts";
import type { Id } from "#domain/ids.ts";

import { ownerFor } from "./access.ts";
import type { CheckContext } from "./account-checks.ts";
import type { DeletionContext } from "./account-deletions.ts";
import {
  type Account,
  type AccountInput,
  createAccount,
  deleteAccount,
  getAccount,
  type NewAccount,
  updateAccount,
} from "./accounts.ts";
import type { Context } from "./context.ts";

/** Connect an account of the actor's, or of a workspace that the actor belongs to, by its keys or tokens. */
export async function createOwnAccount(
  ctx: Context,
  {
    workspace,
    ...input
  }: Omit<NewAccount, "ownerId"> & { workspace?: Id<"workspace"> | undefined },
): Promise<Account> {
  return createAccount(ctx, { ...input, ownerId: await ownerFor(ctx, workspace) });
}

/** Rename an account that the actor may see, or replace its credentials. */
export async function updateOwnAccount(
  ctx: Context,
  id: Id<"account">,
  input: AccountInput,
): Promise<Account> {
  await getAccount(ctx, id);
  return updateAccount(ctx, id, input);
}

/** The sources and workflows that use an account. */
export async function getUsesOfAccount(
  ctx: Pick<Context, "actor" | "db">,
  id: Id<"account">,
): Promise<AccountUses> {
  return usesOf(ctx.db, await getAccount(ctx, id));
}

/** Delete an account. Refuses one in use, unless `isForced`: its users then fail with that reason. */
export async function deleteOwnAccount(
  ctx: CheckContext & DeletionContext & Pick<Context, "actor">,
  id: Id<"account">,
  isForced: boolean,
): Promise<void> {
  const { sources, workflows } = await getUsesOfAccount(ctx, id);
  const using = [...sources, ...workflows].map((one) => `${one.name} (${one.id})`);
  if (using.length > 0 && !isForced) {
    const named = `${using.slice(0, 10).join(", ")}${using.length > 10 ? ", …" : ""}`;
    throw new RequestError("conflict", `The account is used by ${named}: force=true deletes it`);
  }
  await deleteAccount(ctx, id);
}
