import {
  type Authorization,
  authorizationByState,
  endAuthorization,
  insertAuthorization,
} from "#db/connect/authorizations.ts";
import type { Credentials } from "#domain/accounts.ts";
import { filledBase } from "#domain/app-templates.ts";
import type { App } from "#domain/apps.ts";
import {
  AUTHORIZATION_SECONDS,
  authorizationUrl,
  challengeOf,
  refusalInWords,
  ungranted,
} from "#domain/authorization.ts";
import { filledTokenUrl, returnedCredentials } from "#domain/connect/returned-credentials.ts";
import { sha256Hex } from "#domain/hash.ts";
import { newToken } from "#domain/ids.ts";
import type { Grant, TokenClient } from "#domain/oauth.ts";
import { keyIdOf } from "#vault/envelope.ts";

import type { NewAccount } from "../accounts.ts";
import type { AppContext } from "../context.ts";
import type { SignIn } from "./clients.ts";
import type { LinkQuery } from "./link.ts";
import { requestGrant } from "./provider.ts";
import { redirectUriOf } from "./redirect-uri.ts";

/** The state of an authorization in progress. It is stored sealed. */
export type Secrets = {
  /** Of the link that began it. */
  token: string;
  query: LinkQuery;
  /** Whether it runs in a window of its own. */
  isPopup: boolean;
  /** Identifies the browser that began it: no other may end it. */
  browser: string;
  redirectUri: string;
  /** Undefined: the provider does not use PKCE. */
  verifier?: string | undefined;
  /** The values from the user. */
  fields: Credentials;
};

/** The parameters of a provider's redirect. */
export type Callback = {
  /** The name of the client at the provider, from the path. */
  client: string;
  state: string;
  code: string | undefined;
  error: string | undefined;
  /** All parameters of the redirect. */
  query: Readonly<Record<string, string>>;
  /** The browser's identifier, from its cookie. */
  browser: string | undefined;
};

/** An authorization that is about to begin: its user, and the state for its callback. */
export type NewAuthorization = Pick<
  Authorization,
  "accountId" | "actorId" | "app" | "ownerId" | "tokenHash"
> & { secrets: Omit<Secrets, "redirectUri" | "verifier"> };

/** The grant of a provider, as an account stores it. */
export type Granted = { credentials: Credentials } & Pick<
  NewAccount,
  "expiresAt" | "externalId" | "oauthAppId" | "scopes"
>;

type Deps = Pick<AppContext, "apiOrigin" | "db" | "now" | "vault">;

/** Begin an authorization: store the state for its callback. Returns the URL to send the browser to. */
export async function requestAuthorization(
  ctx: Deps,
  { oauth, client: { clientId }, clientKey, oauthAppId }: SignIn,
  { secrets: known, ...authorization }: NewAuthorization,
): Promise<string> {
  const state = newToken() + newToken();
  const stateHash = await sha256Hex(state);
  const redirectUri = redirectUriOf(ctx, clientKey);
  const verifier = oauth.pkce ? newToken() + newToken() + newToken() : undefined;
  const secrets: Secrets = { ...known, redirectUri, verifier };
  const sealed = await ctx.vault.seal(JSON.stringify(secrets), placeOf(stateHash));
  const now = ctx.now();
  await insertAuthorization(ctx.db, {
    stateHash,
    ...authorization,
    oauthAppId: oauthAppId ?? null,
    secrets: sealed,
    keyId: keyIdOf(sealed),
    expiresAt: now + AUTHORIZATION_SECONDS,
    createdAt: now,
  });
  const challenge = verifier === undefined ? undefined : await challengeOf(verifier);
  const authorizeUrl = filledUrl(oauth.authorizeUrl, known.fields);
  return authorizationUrl({ ...oauth, authorizeUrl, clientId, redirectUri, state, challenge });
}

/** An authorization that a browser returns from; this uses it up. */
export type EndedAuthorization = Pick<Authorization, "tokenHash"> & { secrets: Secrets };

/**
 * End an authorization, whether it succeeds or fails. Refuses any other browser than the one that began it, without
 * ending it.
 */
export async function takeAuthorization(
  ctx: Deps,
  { state, browser, client }: Callback,
): Promise<EndedAuthorization | { refusal: string }> {
  const stateHash = await sha256Hex(state);
  const authorization = await authorizationByState(ctx.db, stateHash, ctx.now());
  const secrets = authorization && (await opened(ctx, authorization));
  if (!secrets) return { refusal: UNKNOWN_STATE };
  const isOurs = secrets.redirectUri === redirectUriOf(ctx, client);
  if (browser !== secrets.browser || !isOurs) return { refusal: ELSEWHERE };
  const isFirst = await endAuthorization(ctx.db, stateHash, ctx.now());
  return isFirst ? { tokenHash: authorization.tokenHash, secrets } : { refusal: UNKNOWN_STATE };
}

/** The reasons why a state is not accepted. */
export const UNKNOWN_STATE =
  "This sign-in has expired, or was completed before. Go back to where you came from and start again.";
const ELSEWHERE =
  "This sign-in was begun in another browser or window, so it cannot be completed here. Start again.";

/**
 * Exchange the code of a callback. Returns the grant, or the error in a sentence; unless `mayGrantLess`, a scope that
 * the provider did not grant is an error.
 */
export async function exchangeCode(
  ctx: Pick<AppContext, "allowPrivateTargets" | "now">,
  {
    app,
    signIn,
    secrets,
    mayGrantLess = true,
  }: { app: App; signIn: SignIn | undefined; secrets: Secrets; mayGrantLess?: boolean },
  { code, error, query }: Callback,
): Promise<{ ok: true; granted: Granted } | { ok: false; refusal: string }> {
  const refused = (reason: string) => ({ ok: false, refusal: `${app.name} ${reason}.` }) as const;
  if (error !== undefined) return refused(refusalInWords(error));
  if (code === undefined || !signIn) return refused(refusalInWords(""));
  const answer = await grantFor(ctx, { signIn, secrets, query, code });
  if ("reason" in answer) return refused(answer.reason);
  const { granted } = answer;
  const missing = mayGrantLess ? [] : ungranted(signIn.oauth.scopes, granted.scopes);
  if (missing.length > 0) return refused(`was not given permission for ${missing.join(", ")}`);
  return { ok: true, granted };
}

/** What the provider grants for a code, or the reason of a refusal, as a phrase that follows its name. */
async function grantFor(
  ctx: Pick<AppContext, "allowPrivateTargets" | "now">,
  {
    signIn,
    secrets,
    query,
    code,
  }: Pick<Callback, "query"> & { signIn: SignIn; secrets: Secrets; code: string },
): Promise<{ granted: ReturnType<typeof grantedBy> } | { reason: string }> {
  const { redirectUri, verifier, fields } = secrets;
  const tokenUrl = tokenUrlFor(signIn, fields, query);
  if (tokenUrl === undefined) return { reason: NO_ADDRESS };
  const client = { ...signIn.client, tokenUrl };
  const response = await requestGrant(ctx, client, { code, redirectUri, verifier });
  if (!response.ok) return response;
  const { grant } = response;
  const returned = returnedCredentials(signIn.oauth.credentials, { token: grant.fields, query });
  if ("problem" in returned) return { reason: NO_ADDRESS };
  return { granted: grantedBy(signIn, { ...grant, returned: returned.credentials }, ctx.now()) };
}

const NO_ADDRESS = "returned an address that is not its own";

/** The URL of the token server, of which typed values and the callback may be a part. */
function tokenUrlFor(
  { client, oauth: { credentials } }: SignIn,
  fields: Credentials,
  query: Callback["query"],
): string | undefined {
  const early = returnedCredentials(credentials, { token: {}, query });
  if ("problem" in early) return undefined;
  return filledTokenUrl(client.tokenUrl, { ...fields, ...early.credentials }, credentials);
}

function grantedBy(
  { client, oauth, oauthAppId }: SignIn,
  grant: Grant & { returned: Credentials },
  now: number,
) {
  const { expiresIn, scopes } = grant;
  const credentials = { ...credentialsOf(grant, client), ...grant.returned };
  const { oauth_uid: externalId } = credentials;
  return {
    credentials,
    expiresAt: expiresIn === null ? undefined : now + expiresIn,
    externalId: typeof externalId === "string" ? externalId : undefined,
    oauthAppId,
    // A server that omits the granted scopes has granted the requested ones (RFC 6749, 5.1).
    scopes: scopes ?? oauth.scopes,
  };
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

/** A URL of the app with typed values in it; those were checked when they were typed. */
function filledUrl(template: string, fields: Credentials): string {
  return filledBase(template, fields) ?? template;
}

async function opened(
  { vault }: Pick<AppContext, "vault">,
  { stateHash, secrets }: Authorization,
): Promise<Secrets | undefined> {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only these are sealed for this place.
    return JSON.parse(await vault.open(secrets, placeOf(stateHash))) as Secrets;
  } catch {
    // Its master key was retired: it counts as expired.
    return undefined;
  }
}

function placeOf(stateHash: string): string[] {
  return ["authorization", stateHash];
}
