import { clientRequest, type TokenClient } from "./oauth.ts";

/** Maximum time of a user at the provider, in seconds. */
export const AUTHORIZATION_SECONDS = 600;

/** The parameters of a URL at which a browser's user authorizes an app. */
export type AuthorizationRequest = {
  authorizeUrl: string;
  clientId: string;
  redirectUri: string;
  scopes: readonly string[];
  scopeSeparator: string;
  state: string;
  /** Undefined: the provider does not use PKCE. */
  challenge: string | undefined;
  /** Further parameters that the provider expects. */
  parameters: Readonly<Record<string, string>>;
};

/**
 * The URL of an authorization request (RFC 6749, 4.1.1; RFC 7636, 4.3). The app's own parameters cannot replace
 * security-relevant ones.
 */
export function authorizationUrl(request: AuthorizationRequest): string {
  const { clientId, redirectUri, scopes, scopeSeparator, state, challenge } = request;
  const url = new URL(request.authorizeUrl);
  const own = {
    ...request.parameters,
    ...(scopes.length > 0 && { scope: scopes.join(scopeSeparator) }),
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    ...(challenge !== undefined && { code_challenge: challenge, code_challenge_method: "S256" }),
  };
  for (const [name, value] of Object.entries(own)) url.searchParams.set(name, value);
  return url.href;
}

/** The code challenge of a verifier (RFC 7636, 4.2). */
export async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The headers and the body that exchange an authorization code for tokens (RFC 6749, 4.1.3). */
export function codeRequest(
  client: TokenClient,
  {
    code,
    redirectUri,
    verifier,
  }: { code: string; redirectUri: string; verifier: string | undefined },
): { headers: Record<string, string>; body: string } {
  return clientRequest(client, {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    ...(verifier !== undefined && { code_verifier: verifier }),
  });
}

/**
 * The requested scopes that were not granted. Those of OpenID Connect are left out: providers do not repeat them, or by
 * other names.
 */
export function ungranted(requested: readonly string[], granted: readonly string[]): string[] {
  const had = new Set(granted);
  return requested.filter((scope) => !had.has(scope) && !OPENID_SCOPES.has(scope));
}

const OPENID_SCOPES = new Set(["openid", "email", "profile", "offline_access"]);

/** Sentences for the error codes of a provider's redirect (RFC 6749, 4.1.2.1). */
export function refusalInWords(code: string): string {
  return REFUSALS.get(code) ?? "reported an error";
}

const REFUSALS = new Map([
  ["access_denied", "was not given permission"],
  ["temporarily_unavailable", "is not available at the moment"],
  ["server_error", "had an internal error"],
  ["invalid_scope", "does not know a requested permission"],
  ["unauthorized_client", "does not let this product connect accounts"],
]);
