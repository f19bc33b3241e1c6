import { sessionHashesOfKey } from "#db/sessions.ts";
import * as store from "#db/users.ts";
import { notFound, RequestError } from "#domain/errors.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Id, newId, newToken } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";

import { endRevokedSubscriptions } from "./agents/subscriptions/end.ts";
import type { AppContext, UserContext } from "./context.ts";

export type { KeyOwner } from "#db/users.ts";

/** The precision of a key's last use: a request writes a row only if the last record is older. */
const KEY_USE_SECONDS = 3600;

/** A new API key, which is shown only once. */
export type IssuedKey = store.ApiKey & { apiKey: string };

/** The user of the key with this hash, and the user's workspaces. Only hashes of keys are stored. */
export async function ownerOfKey(
  ctx: Pick<AppContext, "db" | "inBackground" | "now" | "requestId">,
  keyHash: string,
): Promise<store.KeyOwner | undefined> {
  const owner = await store.userByKeyHash(ctx.db, keyHash);
  const at = ctx.now();
  const before = at - KEY_USE_SECONDS;
  if (owner && (owner.lastUsedAt ?? 0) < before)
    ctx.inBackground(recordUse(ctx, keyHash, { at, before }));
  return owner;
}

async function recordUse(
  { db, requestId: request_id }: Pick<AppContext, "db" | "requestId">,
  keyHash: string,
  times: { at: number; before: number },
): Promise<void> {
  try {
    await store.recordKeyUse(db, keyHash, times);
  } catch (error) {
    log("key_use_unrecorded", { request_id, error });
  }
}

/** Create a key that is not stored yet. */
export async function newKey(
  user: Id<"user">,
  name: string | null,
  at: number,
): Promise<IssuedKey> {
  const apiKey = newToken() + newToken();
  const hash = await sha256Hex(apiKey);
  return {
    id: newId("api_key"),
    hash,
    userId: user,
    name,
    createdAt: at,
    lastUsedAt: null,
    apiKey,
  };
}

export async function issueApiKey(
  ctx: Pick<AppContext, "db" | "now">,
  user: Id<"user">,
  name: string | null,
): Promise<IssuedKey> {
  const issued = await newKey(user, name, ctx.now());
  if (!(await store.insertApiKey(ctx.db, issued))) throw notFound("user", user);
  return issued;
}

/** Maximum keys that a user may create. */
const MAX_OWN_KEYS = 100;

/** The actor's keys, newest first, without the keys themselves; `isCurrent`: of this request. */
export async function listOwnKeys(
  ctx: Pick<UserContext, "actor" | "db" | "keyHash">,
): Promise<(store.ApiKey & { isCurrent: boolean })[]> {
  const keys = await store.apiKeysOf(ctx.db, ctx.actor.id);
  return keys.map((key) => ({ ...key, isCurrent: key.hash === ctx.keyHash }));
}

/** Create another key of the actor's. */
export async function createOwnKey(
  ctx: Pick<UserContext, "actor" | "db" | "now">,
  name: string | null,
): Promise<IssuedKey> {
  const keys = await store.apiKeysOf(ctx.db, ctx.actor.id);
  if (keys.length >= MAX_OWN_KEYS)
    throw new RequestError("conflict", `A user may have at most ${MAX_OWN_KEYS} API keys`);
  return issueApiKey(ctx, ctx.actor.id, name);
}

/** Revoke a key of the actor's, like `revokeApiKey`. */
export async function revokeOwnKey(
  ctx: RevokingContext & Pick<UserContext, "actor">,
  id: Id<"api_key">,
): Promise<void> {
  const keys = await store.apiKeysOf(ctx.db, ctx.actor.id);
  if (!keys.some((key) => key.id === id)) throw notFound("api_key", id);
  await revokeApiKey(ctx, id);
}

type RevokingContext = Pick<AppContext, "endStreams"> &
  Parameters<typeof endRevokedSubscriptions>[0];

/**
 * Revoke a key, the sessions that it opened, and the subscriptions of agents that it allowed. Their open streams are
 * closed first, so that a retry after a failure closes them, too.
 */
export async function revokeApiKey(ctx: RevokingContext, id: Id<"api_key">): Promise<void> {
  const hash = await store.keyHashById(ctx.db, id);
  const hashes = hash === undefined ? [] : [hash, ...(await sessionHashesOfKey(ctx.db, hash))];
  await Promise.all(hashes.map((each) => ctx.endStreams(each)));
  const existed = await store.deleteApiKey(ctx.db, id);
  if (hash !== undefined) await endRevokedSubscriptions(ctx, { of: "credential", id: hash });
  if (!existed) throw notFound("api_key", id);
}
