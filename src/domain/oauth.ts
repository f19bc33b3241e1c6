import type { Credentials } from "./accounts.ts";
import type { ReturnedCredential, TokenRequestStyle } from "./apps.ts";
import { UNCOMPRESSED } from "./body.ts";
import { type ReturnedFields, valueAt } from "./connect/returned-credentials.ts";

/** The token endpoint and the client credentials that refresh access tokens of an app's accounts. */
export type TokenClient = {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  /** The place of the client's id and secret in a request (RFC 6749, 2.3.1). */
  authentication: "body" | "basic";
  /** Absent: a form without further parameters. */
  style?: TokenRequestStyle | undefined;
  /** The URL that revokes tokens; absent: the provider has none. May be a template, like `tokenUrl`. */
  revokeUrl?: string | undefined;
  /** The rules of credentials that are part of the URL. */
  returned?: Record<string, ReturnedCredential> | undefined;
};

/** Tokens from a token server. `expiresIn`: seconds; null if it named none. */
export type Tokens = {
  accessToken: string;
  refreshToken: string | null;
  expiresIn: number | null;
};

/** A token to revoke. */
export type RevocableToken = { token: string; isRefreshToken: boolean };

/** Tokens for a code, the granted scopes, and the id of their account, as far as the server names them. */
export type Grant = Tokens & {
  scopes: string[] | null;
  externalId: string | null;
  /** All fields of the response. */
  fields: ReturnedFields;
};

/** The headers and the body of a request for a new access token (RFC 6749, 6). */
export function refreshRequest(
  client: TokenClient,
  refreshToken: string,
): { headers: Record<string, string>; body: string } {
  return clientRequest(client, { grant_type: "refresh_token", refresh_token: refreshToken });
}

/**
 * The headers and the body of a request that revokes a token (RFC 7009, 2.1). It has the client's authentication and
 * encoding of token requests, without their further parameters.
 */
export function revocationRequest(
  client: TokenClient,
  { token, isRefreshToken }: RevocableToken,
): { headers: Record<string, string>; body: string } {
  const style = client.style && { ...client.style, parameters: {} };
  const hint = isRefreshToken ? "refresh_token" : "access_token";
  return clientRequest({ ...client, style }, { token, token_type_hint: hint });
}

/** The token of some credentials that ends their grant: the refresh token, or the access token of a grant without one. */
export function revocableToken({
  oauth_refresh_token: refreshToken,
  oauth_access_token: accessToken,
}: Credentials): RevocableToken | undefined {
  if (typeof refreshToken === "string" && refreshToken !== "")
    return { token: refreshToken, isRefreshToken: true };
  return typeof accessToken === "string" && accessToken !== ""
    ? { token: accessToken, isRefreshToken: false }
    : undefined;
}

/** The headers and the body of a client's request to its token server. */
export function clientRequest(
  { clientId, clientSecret, authentication, style }: TokenClient,
  fields: Record<string, string>,
): { headers: Record<string, string>; body: string } {
  const isBasic = authentication === "basic";
  const clientFields = isBasic ? {} : { client_id: clientId, client_secret: clientSecret };
  const all = { ...style?.parameters, ...fields, ...clientFields };
  const isJson = style?.body === "json";
  const headers = {
    ...UNCOMPRESSED,
    accept: "application/json",
    "content-type": isJson ? "application/json" : "application/x-www-form-urlencoded",
    ...(isBasic && {
      authorization: basicAuthorization(formEncoded(clientId), formEncoded(clientSecret)),
    }),
  };
  return { headers, body: isJson ? JSON.stringify(all) : new URLSearchParams(all).toString() };
}

/** The header of HTTP authentication (RFC 7617), whose texts are sent as UTF-8. */
export function basicAuthorization(username: string, password: string): string {
  return `Basic ${new TextEncoder().encode(`${username}:${password}`).toBase64()}`;
}

/** Read the tokens in a response, which is JSON or, with some providers, a form. Undefined: there are none. */
export function readTokens(text: string): Tokens | undefined {
  const fields = parsedFields(text);
  const accessToken = fields["access_token"];
  if (typeof accessToken !== "string" || accessToken === "") return undefined;
  const refreshToken = fields["refresh_token"];
  const seconds = Math.floor(Number(fields["expires_in"] ?? Number.NaN));
  return {
    accessToken,
    refreshToken: typeof refreshToken === "string" && refreshToken !== "" ? refreshToken : null,
    expiresIn: Number.isSafeInteger(seconds) && seconds > 0 ? seconds : null,
  };
}

/** Read the granted tokens and scopes of a code. */
export function readGrant(text: string): Grant | undefined {
  const tokens = readTokens(text);
  if (!tokens) return undefined;
  const fields = parsedFields(text);
  const scope = fields["scope"];
  const scopes = typeof scope === "string" ? scope.split(/[\s,]+/).filter(Boolean) : null;
  const ids = EXTERNAL_IDS.map((path) => idAt(fields, path));
  return { ...tokens, scopes, externalId: ids.find((id) => id !== null) ?? null, fields };
}

/** Fields of providers' responses that name their account, the most specific first. */
const EXTERNAL_IDS = [
  "team.id",
  "stripe_user_id",
  "workspace_id",
  "hub_id",
  "account_id",
  "user_id",
  "user.id",
];

const MAX_EXTERNAL_ID = 250;

function idAt(fields: ReturnedFields, path: string): string | null {
  return valueAt(fields, path)?.slice(0, MAX_EXTERNAL_ID) ?? null;
}

/** The error code in an error response (RFC 6749, 5.2). Nothing else of it is passed on: it might contain a secret. */
export function errorCodeIn(text: string): string | undefined {
  const code = parsedFields(text)["error"];
  return typeof code === "string" && /^[a-z_]{1,64}$/.test(code) ? code : undefined;
}

/** The fields of a response, which is JSON or a form. */
export function parsedFields(text: string): ReturnedFields {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
  } catch {
    return Object.fromEntries(new URLSearchParams(text));
  }
}

function formEncoded(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
