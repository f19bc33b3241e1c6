import {
  type Authorization,
  authorizationByState,
  endAuthorization,
  insertAuthorization,
} from "#db/connect/authorizations.ts";
import type { Credentials } from "#domain/accounts.ts";
import {
  AUTHORIZATION_SECONDS,
  authorizationUrl,
  challengeOf,
  refusalInWords,
} from "#domain/authorization.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Id, newToken } from "#domain/ids.ts";
import type { Grant, TokenClient } from "#domain/oauth.ts";
import { keyIdOf } from "#vault/envelope.ts";

import type { AppContext } from "../context.ts";
import type { SignIn } from "./clients.ts";
import { type Connection, problemsOf, saveConnection, valuesOf } from "./connect-account.ts";
import { type DeadLink, isDead, type Link, type LinkQuery, openLink } from "./link.ts";
import { notifyRefusal } from "./notify-connection.ts";
import { requestGrant } from "./provider.ts";

/** What is known of an authorization until its end. It is stored sealed. */
type Secrets = {
  token: string;
  query: LinkQuery;
  /** Whether it has a window of its own. */
  isPopup: boolean;
  /** Names the browser that began it: no other may end it. */
  browser: string;
  redirectUri: string;
  /** Undefined: the provider does without PKCE. */
  verifier?: string | undefined;
  /** What the user filled in before. */
  fields: Credentials;
};

/** What a provider sent a browser back with. */
export type Callback = {
  /** Which client at the provider the path is of. */
  client: string;
  state: string;
  code: string | undefined;
  error: string | undefined;
  /** The name of the browser, from its cookie. */
  browser: string | undefined;
};

/** What an authorization came to, with the way back: the link that it was begun from. */
export type Authorized = { back?: Pick<Secrets, "isPopup" | "query" | "token"> } & (
  | { ok: true; accountId: Id<"account">; link: Link }
  | { ok: false; refusal: string; link?: Link | DeadLink }
);

/** Begin to connect an account at a provider. Returns the URL to send the browser to, or what is wrong with what was filled in. */
export async function beginAuthorization(
  link: Link & { signIn: SignIn },
  { browser, isPopup, typed }: { browser: string; isPopup: boolean; typed: Map<string, string> },
): Promise<{ url: string } | { problems: Map<string, string> }> {
  const problems = problemsOf(link, typed);
  if (problems.size > 0) return { problems };
  const { app, hash, token, query, user, account, signIn } = link;
  const { oauth, client, clientKey, oauthAppId } = signIn;
  const state = newToken() + newToken();
  const stateHash = await sha256Hex(state);
  const redirectUri = redirectUriOf(user, clientKey);
  const verifier = oauth.pkce ? newToken() + newToken() + newToken() : undefined;
  const now = user.now();
  const fields = valuesOf(link, typed);
  const secrets = { token, query, isPopup, browser, redirectUri, verifier, fields };
  const sealed = await user.vault.seal(JSON.stringify(secrets), placeOf(stateHash));
  await insertAuthorization(user.db, {
    stateHash,
    actorId: user.actor.id,
    ownerId: user.actor.id,
    tokenHash: hash,
    app: app.slug,
    oauthAppId: oauthAppId ?? null,
    accountId: account?.id ?? null,
    secrets: sealed,
    keyId: keyIdOf(sealed),
    expiresAt: now + AUTHORIZATION_SECONDS,
    createdAt: now,
  });
  const challenge = verifier === undefined ? undefined : await challengeOf(verifier);
  const { clientId } = client;
  return { url: authorizationUrl({ ...oauth, clientId, redirectUri, state, challenge }) };
}

/** Where a provider sends browsers back to: to a place of its own for each client, so that no other provider's response is taken for its. */
export function redirectUriOf(
  { apiOrigin }: Pick<AppContext, "apiOrigin">,
  client: string,
): string {
  return `${apiOrigin}/connect/oauth/${encodeURIComponent(client)}/callback`;
}

/** End an authorization: exchange its code for tokens, and store the account. Its state is used up, whatever comes of it. */
export async function endWithCallback(ctx: AppContext, callback: Callback): Promise<Authorized> {
  const secrets = await takeSecrets(ctx, callback);
  if ("refusal" in secrets) return { ok: false, ...secrets };
  const { token, query, isPopup } = secrets;
  const back = { token, query, isPopup };
  const link = await openLink(ctx, token, query);
  if (isDead(link)) return { ok: false, refusal: link.refusal, link, back };
  const connection = await connectByCode(link, secrets, callback);
  if (connection.ok) return { ok: true, accountId: connection.accountId, link, back };
  return { ok: false, refusal: connection.refusal ?? UNKNOWN_STATE, link, back };
}

const UNKNOWN_STATE =
  "This sign-in has expired, or was completed before. Go back to where you came from and start again.";
const ELSEWHERE =
  "This sign-in was begun in another browser or window, so it cannot be completed here. Start again.";

/** What was stored of an authorization, which is over with it. Another browser than the one that began it does not end it. */
async function takeSecrets(
  ctx: AppContext,
  { state, browser, client }: Callback,
): Promise<Secrets | { refusal: string }> {
  const stateHash = await sha256Hex(state);
  const authorization = await authorizationByState(ctx.db, stateHash, ctx.now());
  const secrets = authorization && (await opened(ctx, authorization));
  if (!secrets) return { refusal: UNKNOWN_STATE };
  const isOurs = secrets.redirectUri === redirectUriOf(ctx, client);
  if (browser !== secrets.browser || !isOurs) return { refusal: ELSEWHERE };
  const isFirst = await endAuthorization(ctx.db, stateHash, ctx.now());
  return isFirst ? secrets : { refusal: UNKNOWN_STATE };
}

async function connectByCode(
  link: Link,
  { redirectUri, verifier, fields }: Secrets,
  { code, error }: Callback,
): Promise<Connection> {
  const { preset, signIn, user } = link;
  if (error !== undefined) return refused(link, refusalInWords(error));
  if (code === undefined || !signIn) return refused(link, refusalInWords(""));
  const { client, oauth, oauthAppId } = signIn;
  const granted = await requestGrant(user, client, { code, redirectUri, verifier });
  if (!granted.ok) return refused(link, granted.reason);
  const { expiresIn, externalId, scopes } = granted.grant;
  return saveConnection(link, {
    credentials: { ...fields, ...preset, ...credentialsOf(granted.grant, client) },
    expiresAt: expiresIn === null ? undefined : user.now() + expiresIn,
    externalId: externalId ?? undefined,
    oauthAppId,
    // A server that does not say what it granted has granted what was asked for (RFC 6749, 5.1).
    scopes: scopes ?? oauth.scopes,
  });
}

function credentialsOf(
  { accessToken, refreshToken, externalId }: Grant,
  { clientId }: TokenClient,
): Credentials {
  return {
    oauth_access_token: accessToken,
    ...(refreshToken !== null && { oauth_refresh_token: refreshToken }),
    oauth_client_id: clientId,
    ...(externalId !== null && { oauth_uid: externalId }),
  };
}

async function refused(link: Link, reason: string): Promise<Connection> {
  const refusal = `${link.app.name} ${reason}.`;
  await notifyRefusal(link, refusal);
  return { ok: false, problems: new Map(), refusal };
}

async function opened(
  { vault }: Pick<AppContext, "vault">,
  { stateHash, secrets }: Authorization,
): Promise<Secrets | undefined> {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only these are sealed for this place.
    return JSON.parse(await vault.open(secrets, placeOf(stateHash))) as Secrets;
  } catch {
    // Its master key is gone: it is as good as expired.
    return undefined;
  }
}

function placeOf(stateHash: string): string[] {
  return ["authorization", stateHash];
}
