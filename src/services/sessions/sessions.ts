import * as store from "#db/sessions.ts";
import type { User } from "#db/users.ts";
import { notFound } from "#domain/errors.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Id, newId, newToken } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";
import { SESSION_SECONDS } from "#domain/sessions.ts";
import { log } from "#telemetry/log.ts";

import type { AppContext, UserContext } from "../context.ts";
import { readUser } from "../user-directory.ts";
import type { Identity } from "./identity.ts";

export type { Session } from "#db/sessions.ts";

/** The precision of a session's last use: a request writes a row only if the last record is older. */
const SESSION_USE_SECONDS = 300;

const MAX_USER_AGENT = 256;

/** Maximum expired sessions that one sweep deletes. The next one is a minute away. */
const SESSIONS_A_SWEEP = 200;

/** The user who is signed in in a browser, and the user's workspaces. */
export type SignedIn = {
  session: Pick<store.Session, "id" | "hash" | "keyHash" | "isAsserted" | "expiresAt">;
  user: User | null;
  isOperator: boolean;
  workspaces: readonly Id<"workspace">[];
};

/** A new session and its secret, which its browser gets as a cookie. */
export type IssuedSession = SignedIn & { secret: string };

type Needed = Pick<AppContext, "adminToken" | "db" | "inBackground" | "now" | "requestId">;

/** The session of a cookie's secret, unless it ended. An operator's ends with the admin token that opened it. */
export async function sessionOf(ctx: Needed, secret: string): Promise<SignedIn | undefined> {
  const now = ctx.now();
  const found = await store.sessionByHash(ctx.db, await sha256Hex(secret), now);
  if (!found) return undefined;
  const { session, user, workspaces } = found;
  const isOperator =
    session.operatorHash !== null && session.operatorHash === (await operatorHash(ctx, secret));
  if (!user && !isOperator) return undefined;
  const before = now - SESSION_USE_SECONDS;
  if (session.lastSeenAt < before)
    ctx.inBackground(recordUse(ctx, session.id, { at: now, before }));
  return { session, user, isOperator, workspaces };
}

/** Whether the session of a secret's hash has not ended. */
export async function isSessionOpen(
  { db, now }: Pick<AppContext, "db" | "now">,
  hash: string,
): Promise<boolean> {
  return (await store.sessionByHash(db, hash, now())) !== undefined;
}

/**
 * Open a session under a new secret. The sign-ins of the former session move to it and keep their expiry, and the
 * former session ends.
 */
export async function openSession(
  ctx: Needed & Pick<AppContext, "endStreams">,
  identity: Identity,
  { former, userAgent }: { former: SignedIn | undefined; userAgent: string | undefined },
): Promise<IssuedSession> {
  const secret = newToken() + newToken();
  const now = ctx.now();
  const { user, keyHash, isAsserted, isOperator, until } = joinedWith(former, identity);
  const session: store.NewSession = {
    id: newId("session"),
    hash: await sha256Hex(secret),
    userId: user?.id ?? null,
    keyHash,
    isAsserted,
    operatorHash: isOperator ? await operatorHash(ctx, secret) : null,
    createdAt: now,
    expiresAt: Math.min(now + SESSION_SECONDS, until),
    lastSeenAt: now,
    userAgent: userAgent?.slice(0, MAX_USER_AGENT) ?? null,
  };
  await replace(ctx, former, session);
  return { session, user, isOperator, workspaces: [], secret };
}

async function replace(
  ctx: Pick<AppContext, "db" | "endStreams">,
  former: SignedIn | undefined,
  session: store.NewSession,
): Promise<void> {
  if (former) await ctx.endStreams(former.session.hash);
  await store.insertSession(ctx.db, session, former?.session.hash);
}

/** End a session with its open streams. They end first, so that a retry after a failure ends them, too. */
export async function endSession(
  ctx: Pick<AppContext, "db" | "endStreams">,
  hash: string,
): Promise<boolean> {
  await ctx.endStreams(hash);
  return store.deleteSession(ctx.db, hash);
}

/** The sessions of a user, newest first, for the operator. */
export async function listUserSessions(
  ctx: Pick<AppContext, "db" | "now">,
  id: Id<"user">,
  request: PageRequest,
): Promise<Page<store.Session>> {
  await readUser(ctx, id);
  return store.pageOfSessions(ctx.db, { user: id, now: ctx.now() }, request);
}

/** End one of a user's sessions, for the operator. */
export async function deleteUserSession(
  ctx: Pick<AppContext, "db" | "endStreams">,
  user: Id<"user">,
  id: Id<"session">,
): Promise<void> {
  const hash = await store.sessionHashById(ctx.db, user, id);
  if (hash === undefined || !(await endSession(ctx, hash))) throw notFound("session", id);
}

/** The sessions of the actor, newest first. */
export function listSessions(
  ctx: Pick<UserContext, "actor" | "db" | "now">,
  request: PageRequest,
): Promise<Page<store.Session>> {
  return store.pageOfSessions(ctx.db, { user: ctx.actor.id, now: ctx.now() }, request);
}

/** End one of the actor's sessions. */
export function deleteSession(
  ctx: Pick<UserContext, "actor" | "db" | "endStreams">,
  id: Id<"session">,
): Promise<void> {
  return deleteUserSession(ctx, ctx.actor.id, id);
}

/** Delete expired sessions and links. Returns their number. */
export async function forgetSessions(
  ctx: Pick<AppContext, "db" | "endStreams" | "now">,
): Promise<number> {
  const now = ctx.now();
  const hashes = await store.expiredSessions(ctx.db, now, SESSIONS_A_SWEEP);
  for (const hash of hashes) await endSession(ctx, hash);
  return hashes.length + (await store.deleteExpiredConsoleLinks(ctx.db, now));
}

/** The CSRF token that modifying requests send beside the cookie: it does not reveal the secret. */
export function csrfTokenOf(secret: string): Promise<string> {
  return sha256Hex(`csrf:${secret}`);
}

function joinedWith(former: SignedIn | undefined, identity: Identity): Identity {
  if (!former) return identity;
  const { user, keyHash, isAsserted } = identity.user
    ? identity
    : { ...former.session, user: former.user };
  const isOperator = identity.isOperator || former.isOperator;
  const inherits = user !== identity.user || isOperator !== identity.isOperator;
  const until = inherits ? Math.min(identity.until, former.session.expiresAt) : identity.until;
  return { user, keyHash, isAsserted, isOperator, until };
}

/** Without an admin token there is no operator. */
async function operatorHash(
  { adminToken }: Pick<AppContext, "adminToken">,
  secret: string,
): Promise<string | null> {
  return adminToken === "" ? null : sha256Hex(`${secret}:${adminToken}`);
}

async function recordUse(
  { db, requestId: request_id }: Pick<AppContext, "db" | "requestId">,
  id: Id<"session">,
  times: { at: number; before: number },
): Promise<void> {
  try {
    await store.recordSessionUse(db, id, times);
  } catch (error) {
    log("session_use_unrecorded", { request_id, error });
  }
}
