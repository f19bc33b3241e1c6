import { accountById } from "#db/accounts.ts";
import {
  type Authorization,
  authorizationByState,
  insertAuthorization,
} from "#db/connect/authorizations.ts";
import { nameOfOwner } from "#db/sign-in.ts";
import type { App } from "#domain/apps.ts";
import { AUTHORIZATION_SECONDS } from "#domain/authorization.ts";
import { invalidInput, type RequestError } from "#domain/errors.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type ActorId, type Id, newToken, type OwnerId } from "#domain/ids.ts";
import { keyIdOf } from "#vault/envelope.ts";

import { ownerFor } from "../access.ts";
import { type Account, getAccount } from "../accounts.ts";
import { knownApp } from "../connect/apps.ts";
import { operatorsClient, type SignIn } from "../connect/clients.ts";
import type { AppContext, Context } from "../context.ts";

/** The account that a user of the v1 API connects by signing in at a provider. */
export type NewSignInLink = {
  app: string;
  /** Undefined: a new account is named after its app, and a reconnected one keeps its name. */
  name: string | undefined;
  workspace: Id<"workspace"> | undefined;
  /** The account to reconnect. */
  accountId: Id<"account"> | undefined;
  /** The browser's target once the account is connected; null: a page that confirms it. */
  redirectUri: string | null;
};

/** The subject of a link, sealed in its row. */
type Sealed = { name?: string; redirectUri: string | null };

/** A link with the app to connect, and its user. */
export type SignInLink = Sealed & {
  token: string;
  hash: string;
  app: App;
  signIn: SignIn;
  user: ActorId;
  ownerId: OwnerId;
  /** The owner's name for people. */
  owner: string;
  account: Account | undefined;
};

/**
 * Create a link to a page that sends a browser to the provider of an app, by the operator's client, to connect an
 * account of the actor's, or of a workspace of the actor's.
 */
export async function createSignInLink(
  ctx: Context,
  input: NewSignInLink,
): Promise<{ url: string; expiresAt: number }> {
  const { app, accountId, name, redirectUri } = input;
  const ownerId = await ownerOf(ctx, input);
  const signIn = await signInAt(ctx, app);
  if ("problem" in signIn) throw invalidInput([{ path: "app", message: signIn.problem }]);
  const token = newToken() + newToken();
  const hash = await sha256Hex(token);
  const sealed: Sealed = { redirectUri, ...(name !== undefined && { name }) };
  const secrets = await ctx.vault.seal(JSON.stringify(sealed), placeOf(hash));
  const now = ctx.now();
  const expiresAt = now + AUTHORIZATION_SECONDS;
  await insertAuthorization(ctx.db, {
    stateHash: hash,
    actorId: ctx.actor.id,
    ownerId,
    tokenHash: null,
    app,
    oauthAppId: null,
    accountId: accountId ?? null,
    secrets,
    keyId: keyIdOf(secrets),
    // A link that is opened in its last second leaves as much time for the sign-in as any.
    expiresAt: expiresAt + AUTHORIZATION_SECONDS,
    createdAt: now,
  });
  return { url: `${ctx.apiOrigin}/connect/sign-in/${token}`, expiresAt };
}

/**
 * The subject of a link, or the reason why it is invalid, in a sentence. `isReturn`: the browser returns from the
 * provider, for which it has more time than to open the link. Reading it changes nothing.
 */
export async function openSignInLink(
  ctx: AppContext,
  token: string,
  { isReturn = false } = {},
): Promise<SignInLink | { refusal: string }> {
  const hash = await sha256Hex(token);
  const earliestEnd = ctx.now() + (isReturn ? 0 : AUTHORIZATION_SECONDS);
  const stored = await rowBehind(ctx, hash, earliestEnd);
  if (!stored) return { refusal: EXPIRED };
  const { row, sealed } = stored;
  const { actorId: user, ownerId, app: slug } = row;
  const [owner, found, account] = await Promise.all([
    nameOfOwner(ctx.db, user, ownerId),
    signInAt(ctx, slug),
    accountBehind(ctx, row),
  ]);
  if (owner === undefined) return { refusal: NO_MEMBER };
  if ("problem" in found) return { refusal: `Signing in at ${slug} is not possible here now.` };
  if (account === "none") return { refusal: NO_ACCOUNT };
  return { ...sealed, ...found, token, hash, user, ownerId, owner, account };
}

/** The account to reconnect; undefined: a new one is created. */
async function accountBehind(
  ctx: Pick<AppContext, "db">,
  { actorId, ownerId, accountId: id, app }: Authorization,
): Promise<Account | "none" | undefined> {
  if (id === null) return undefined;
  const account = await accountById(ctx.db, id, actorId);
  return account?.ownerId === ownerId && account.app === app ? account : "none";
}

/** The reason why a link with an unknown token is invalid. */
export const EXPIRED =
  "This link has expired, was used before, or was never valid. Go back to where you came from and start again.";
const NO_MEMBER = "The user who made this link no longer belongs to the workspace.";
const NO_ACCOUNT = "The account to connect again does not exist any more.";

/**
 * The owner of the account that a link connects. Refuses an account that the actor may not see, or one of another app.
 */
async function ownerOf(
  ctx: Context,
  { app, accountId, workspace }: NewSignInLink,
): Promise<OwnerId> {
  const named = await ownerFor(ctx, workspace);
  if (accountId === undefined) return named;
  const account = await getAccount(ctx, accountId);
  if (account.app !== app) throw wrongAccount(`is an account for ${account.app}, not for ${app}`);
  if (workspace !== undefined && account.ownerId !== workspace)
    throw wrongAccount("does not belong to the workspace");
  return account.ownerId;
}

function wrongAccount(message: string): RequestError {
  return invalidInput([{ path: "account_id", message }]);
}

/** The settings of signing in at an app by the operator's client, or the reason why that is impossible. */
async function signInAt(
  ctx: Pick<AppContext, "catalogue" | "db" | "vault">,
  slug: string,
): Promise<{ app: App; signIn: SignIn } | { problem: string }> {
  const app = await knownApp(ctx, slug);
  if (!app) return { problem: `there is no app ${slug}` };
  if (app.authType !== "oauth")
    return { problem: `users of ${app.name} do not sign in: POST /v1/accounts takes credentials` };
  const signIn = app.oauth && (await operatorsClient(ctx, app.siblings, app.oauth));
  if (!signIn)
    return { problem: `signing in at ${app.name} has not been set up here by the operator` };
  return { app, signIn };
}

async function rowBehind(
  { db, vault }: Pick<AppContext, "db" | "vault">,
  hash: string,
  earliestEnd: number,
): Promise<{ row: Authorization; sealed: Sealed } | undefined> {
  const row = await authorizationByState(db, hash, earliestEnd);
  if (!row) return undefined;
  try {
    const text = await vault.open(row.secrets, placeOf(hash));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only these are sealed for this place.
    return { row, sealed: JSON.parse(text) as Sealed };
  } catch {
    // It is the row of an authorization, or its master key was retired.
    return undefined;
  }
}

function placeOf(hash: string): string[] {
  return ["sign_in_link", hash];
}
