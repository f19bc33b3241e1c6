import type { Database } from "#db/client.ts";
import * as store from "#db/users.ts";
import { notFound } from "#domain/errors.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Id, newId, newToken } from "#domain/ids.ts";

import type { AppContext } from "./context.ts";

/** An API key on the one occasion when it can be seen. */
export type IssuedKey = store.ApiKey & { apiKey: string };

/** Whose key this is the hash of, which is all of it that was ever stored, and whether that user belongs to a workspace. */
export function ownerOfKey(
  db: Database,
  keyHash: string,
  workspace = "",
): Promise<store.KeyOwner | undefined> {
  return store.userByKeyHash(db, keyHash, workspace);
}

/** Make a key that is not stored yet. */
export async function newKey(
  user: Id<"user">,
  name: string | null,
  at: number,
): Promise<IssuedKey> {
  const apiKey = newToken() + newToken();
  const hash = await sha256Hex(apiKey);
  return { id: newId("api_key"), hash, userId: user, name, createdAt: at, apiKey };
}

export async function issueApiKey(
  ctx: Pick<AppContext, "db" | "now">,
  user: Id<"user">,
  name: string | null,
): Promise<IssuedKey> {
  if (!(await store.userById(ctx.db, user))) throw notFound("user", user);
  const issued = await newKey(user, name, ctx.now());
  await store.insertApiKey(ctx.db, issued);
  return issued;
}

/** Revoke a key. Its open streams are closed first, so that a retry after a failure closes them, too. */
export async function revokeApiKey(
  ctx: Pick<AppContext, "db" | "endStreams">,
  id: Id<"api_key">,
): Promise<void> {
  const hash = await store.keyHashById(ctx.db, id);
  if (hash !== undefined) await ctx.endStreams(hash);
  const existed = await store.deleteApiKey(ctx.db, id);
  if (!existed) throw notFound("api_key", id);
}
