import { takeConsoleLink } from "#db/sessions.ts";
import { type User, userByEmail, userById } from "#db/users.ts";
import { areEqual, sha256Hex } from "#domain/hash.ts";

import type { AppContext } from "../context.ts";
import { ownerOfKey } from "../keys.ts";
import { emailOfAssertion } from "./access.ts";

/** The user who signs in, and the latest end of the session, epoch seconds. */
export type Identity = {
  user: User | null;
  /** Of the submitted API key; null: there was none. */
  keyHash: string | null;
  /** Whether Cloudflare Access identified the user. */
  isAsserted: boolean;
  isOperator: boolean;
  until: number;
};

/** The credentials for a session. */
export type Credentials =
  | { kind: "api_key"; key: string }
  | { kind: "admin_token"; token: string }
  | { kind: "link"; secret: string };

type Needed = Pick<AppContext, "adminToken" | "db" | "inBackground" | "now" | "requestId">;

/** The user of credentials; undefined if they are not valid. A link can be used once. */
export async function identify(
  ctx: Needed,
  credentials: Credentials,
): Promise<Identity | undefined> {
  if (credentials.kind === "api_key") return identityOfKey(ctx, credentials.key);
  if (credentials.kind === "link") return identityOfLink(ctx, credentials.secret);
  const isOperator = await isAdminToken(ctx, credentials.token);
  return isOperator ? { ...NOBODY, isOperator } : undefined;
}

/** Whether this is the admin token; false if none is set. */
export async function isAdminToken(
  { adminToken }: Pick<AppContext, "adminToken">,
  token: string,
): Promise<boolean> {
  return adminToken !== "" && (await areEqual(token, adminToken));
}

/** Whether a token grants access to the metrics: that of scrapers, or the admin token. */
export async function mayReadMetrics(
  ctx: Pick<AppContext, "adminToken" | "metricsToken">,
  token: string,
): Promise<boolean> {
  const { metricsToken } = ctx;
  const isScraper = metricsToken !== "" && (await areEqual(token, metricsToken));
  return isScraper || isAdminToken(ctx, token);
}

/**
 * The user who signed in at Cloudflare Access, by e-mail address; undefined if no user has it, or Access is not set up.
 */
export async function identityOfAccess(
  ctx: Pick<AppContext, "access" | "db" | "requestId">,
  assertion: string,
): Promise<Identity | undefined> {
  const verified = ctx.access && (await emailOfAssertion(ctx.access, assertion));
  const user = verified && (await userByEmail(ctx.db, verified.email));
  return user && { ...NOBODY, user, isAsserted: true, until: verified.expiresAt };
}

const NOBODY: Identity = {
  user: null,
  keyHash: null,
  isAsserted: false,
  isOperator: false,
  until: Infinity,
};

async function identityOfKey(ctx: Needed, key: string): Promise<Identity | undefined> {
  const keyHash = await sha256Hex(key);
  const owner = await ownerOfKey(ctx, keyHash);
  return owner && { ...NOBODY, user: owner.user, keyHash };
}

async function identityOfLink(
  { db, now }: Pick<AppContext, "db" | "now">,
  secret: string,
): Promise<Identity | undefined> {
  const link = await takeConsoleLink(db, await sha256Hex(secret), now());
  if (!link) return undefined;
  const { userId, isOperator } = link;
  const user = userId === null ? null : await userById(db, userId);
  return user === undefined ? undefined : { ...NOBODY, user, isOperator };
}
