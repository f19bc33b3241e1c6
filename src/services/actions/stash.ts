import { createHmac, timingSafeEqual } from "node:crypto";

import * as store from "#db/connect/file-stashes.ts";
import { mapAtMost, MAX_CONNECTIONS } from "#domain/concurrency.ts";
import { notFound, RequestError } from "#domain/errors.ts";
import { type Id, isId, newId, newToken, type OwnerId } from "#domain/ids.ts";
import { isStashPath, shownPath, STASH_SECONDS, type StashFile } from "#domain/stash.ts";
import type { StoredStashFile } from "#sandbox/stash-store.ts";
import { log } from "#telemetry/log.ts";

import type { AppContext } from "../context.ts";

export type { StoredStashFile } from "#sandbox/stash-store.ts";

/** Maximum stashes that one sweep deletes. The next one is a minute away. */
const STASHES_A_SWEEP = 300;

/** Maximum stashes that an owner may have at once. */
const MAX_STASHES = 10_000;

const TOO_MANY = `stash_id: ${MAX_STASHES} stashes are kept already; use one again, or wait until some expire`;

/** A stash while an action runs, with the files that it had before. */
export type OpenStash = Pick<store.FileStash, "id" | "ownerId" | "secret" | "expiresAt"> & {
  files: StashFile[];
};

/**
 * A file as the caller of an action sees it. `path`: below /tmp; `key`: names it for a download; `url`: needs no key.
 */
export type StashUpload = { path: string; key: string; url: string };

/**
 * Open an owner's stash, or a new one. Refuses one that does not exist, belongs to another owner, or has expired, and a
 * new one beyond the 10,000 of an owner.
 */
export async function openStash(
  ctx: Pick<AppContext, "db" | "now" | "stashes">,
  owner: OwnerId,
  wanted: string,
): Promise<OpenStash> {
  const now = ctx.now();
  const expiresAt = now + STASH_SECONDS;
  if (wanted === "new") {
    const made = { id: newId("stash"), ownerId: owner, secret: newToken(), expiresAt };
    if (!(await store.insertStash(ctx.db, { ...made, createdAt: now }, MAX_STASHES)))
      throw new RequestError("conflict", TOO_MANY);
    return { ...made, files: [] };
  }
  const known = isId("stash", wanted)
    ? await store.extendStash(ctx.db, owner, { id: wanted, now, expiresAt })
    : undefined;
  if (!known) throw notFound("stash", wanted);
  return { ...known, files: await ctx.stashes.files(known.id) };
}

/** Store the files of an action, replacing earlier ones. Returns all of them. */
export async function keepStash(
  ctx: Pick<AppContext, "apiOrigin" | "owners" | "requestId" | "stashes">,
  stash: OpenStash,
  files: readonly StashFile[],
): Promise<StashUpload[]> {
  const before = new Map(stash.files.map(({ path, bytes }) => [path, bytes]));
  const left = new Set(files.map(({ path }) => path));
  await ctx.stashes.change(stash.id, {
    put: files.filter(({ path, bytes }) => !isSame(before.get(path), bytes)),
    remove: [...before.keys()].filter((path) => !left.has(path)),
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes.byteLength, 0);
  await reportBytes(ctx, stash, bytes);
  return files.map(({ path }) => ({
    path: shownPath(path),
    key: `${stash.id}/${path}`,
    url: urlOf(ctx.apiOrigin, stash, path),
  }));
}

/** Count the bytes of a stash for its owner. A failure to count blocks nobody. */
async function reportBytes(
  { owners, requestId: request_id }: Pick<AppContext, "owners" | "requestId">,
  { id, ownerId: owner_id }: Pick<store.FileStash, "id" | "ownerId">,
  bytes: number,
): Promise<void> {
  try {
    await owners(owner_id).reportStoredBytes(owner_id, id, bytes);
  } catch (error) {
    log("usage_unreported", { request_id, owner_id, error });
  }
}

/** The file of a key. `isOwned`: whether the caller has the access of an owner. */
export async function stashedFile(
  ctx: Pick<AppContext, "db" | "now" | "stashes">,
  key: string,
  isOwned: (owner: OwnerId) => Promise<boolean>,
): Promise<StoredStashFile> {
  const { id, path } = placeOf(key);
  const stash = id && (await store.stashById(ctx.db, id, ctx.now()));
  const file = stash && (await isOwned(stash.ownerId)) && (await ctx.stashes.read(stash.id, path));
  if (!file) throw noFile(key);
  return file;
}

/** The file of a signed URL. Refuses a modified or expired URL. */
export async function signedFile(
  ctx: Pick<AppContext, "db" | "now" | "stashes">,
  { key, expires, signature }: { key: string; expires: string; signature: string },
): Promise<StoredStashFile> {
  const { id, path } = placeOf(key);
  const stash = id && (await store.stashById(ctx.db, id, ctx.now()));
  const isValid =
    stash &&
    /^\d{1,12}$/.test(expires) &&
    Number(expires) > ctx.now() &&
    isEqual(signature, signatureOf(stash.secret, { key, expires }));
  if (!isValid)
    throw new RequestError("forbidden", "The URL is not signed for this file, or has expired");
  const file = await ctx.stashes.read(stash.id, path);
  if (!file) throw noFile(key);
  return file;
}

/** Delete expired stashes with their files. Returns their number. */
export async function sweepStashes(
  ctx: Pick<AppContext, "db" | "now" | "owners" | "requestId" | "stashes">,
): Promise<number> {
  const expired = await store.expiredStashes(ctx.db, ctx.now(), STASHES_A_SWEEP);
  const swept = await mapAtMost(MAX_CONNECTIONS, expired, (stash) => sweepStash(ctx, stash));
  return swept.filter(Boolean).length;
}

async function sweepStash(
  ctx: Pick<AppContext, "db" | "owners" | "requestId" | "stashes">,
  stash: Pick<store.FileStash, "id" | "ownerId">,
): Promise<boolean> {
  const { id } = stash;
  try {
    await ctx.stashes.clear(id);
    await store.deleteStash(ctx.db, id);
    await reportBytes(ctx, stash, 0);
    return true;
  } catch (error) {
    log("object_unremoved", { request_id: ctx.requestId, subject_id: id, error });
    return false;
  }
}

function placeOf(key: string): { id: Id<"stash"> | undefined; path: string } {
  const [id = "", ...parts] = key.split("/");
  const path = parts.join("/");
  return { id: isId("stash", id) && isStashPath(path) ? id : undefined, path };
}

function urlOf(
  origin: string,
  { id, secret, expiresAt }: Pick<OpenStash, "id" | "secret" | "expiresAt">,
  path: string,
): string {
  const key = `${id}/${path}`;
  const expires = String(expiresAt);
  // Clients take a file's name from the end of the path. The key is the runtime's path, which is encoded already.
  const names = path.split("/").map((part) => encodeURIComponent(shownPath(part)));
  const query = new URLSearchParams({
    s3_key: key,
    expires,
    signature: signatureOf(secret, { key, expires }),
  });
  return `${origin}/v1/connect/stashes/${id}/${names.join("/")}?${query.toString()}`;
}

function signatureOf(secret: string, { key, expires }: { key: string; expires: string }): string {
  return createHmac("sha256", secret).update(`${expires}\n${key}`).digest("base64url");
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function isSame(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one !== undefined && Buffer.compare(one, other) === 0;
}

function noFile(key: string): RequestError {
  return new RequestError("not_found", `No file with key ${key}`);
}
