import { exports } from "cloudflare:workers";

import { ORIGIN, request, signUp } from "./client.ts";
import { signIn } from "./console.ts";

export const REDIRECT = "http://127.0.0.1:8123/callback";
const VERIFIER = "v".repeat(64);

/** Register a client. Returns its id. */
export async function registered(metadata: object = {}): Promise<string> {
  const { body } = await request("POST", "/oauth/register", {
    body: { client_name: "Robot", redirect_uris: [REDIRECT], ...metadata },
  });
  return body.client_id;
}

/** The parameters of an authorization request. */
export async function authorizationRequest(clientId: string, more: Record<string, string> = {}) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(VERIFIER));
  return {
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true }),
    code_challenge_method: "S256",
    scope: "read act",
    state: "xyz",
    resource: `${ORIGIN}/mcp`,
    ...more,
  };
}

/** Submit a form of one of the pages. `cookie`: the session of the browser. */
export async function sendForm(
  page: "consent" | "decision",
  fields: Record<string, string> | [string, string][],
  headers: Record<string, string> = {},
) {
  const response = await exports.default.fetch(`${ORIGIN}/oauth/authorize/${page}`, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      origin: ORIGIN,
      "sec-fetch-site": "same-origin",
      ...headers,
    },
    body: new URLSearchParams(fields).toString(),
  });
  const text = await response.text();
  const [, next] = /content="0;url=([^"]*)"/.exec(text) ?? [];
  const back = next === undefined ? undefined : new URL(next.replaceAll("&amp;", "&"));
  return { status: response.status, headers: response.headers, text, back };
}

/** Exchange a code, or a refresh token. */
export async function tokensBy(fields: Record<string, string>) {
  return request("POST", "/oauth/token", {
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
}

/** The parameters for the exchange of a code. */
export const exchangeOf = (clientId: string, code: string, more: Record<string, string> = {}) => ({
  grant_type: "authorization_code",
  client_id: clientId,
  code,
  redirect_uri: REDIRECT,
  code_verifier: VERIFIER,
  resource: `${ORIGIN}/mcp`,
  ...more,
});

/** A user with a session in the console, and the hidden fields of the consent page. */
export async function atConsent(more: Record<string, string> = {}) {
  const ada = await signUp();
  const { cookie = "" } = await signIn({ api_key: ada.user.api_key });
  const clientId = await registered();
  const fields = await authorizationRequest(clientId, more);
  const page = await sendForm("consent", fields, { cookie });
  const [, csrf = ""] = /name="csrf" value="([^"]*)"/.exec(page.text) ?? [];
  return { ada, cookie, clientId, fields: { ...fields, csrf }, page };
}

/** Tokens that a user granted, and their client. */
export async function allowed(kinds: string[], more: Record<string, string> = {}) {
  const { ada, cookie, clientId, fields } = await atConsent();
  const form: [string, string][] = [
    ...Object.entries({ ...fields, decision: "allow", ...more }),
    ...kinds.map((kind): [string, string] => ["kind", kind]),
  ];
  const { back } = await sendForm("decision", form, { cookie });
  const code = back?.searchParams.get("code") ?? "";
  const { body } = await tokensBy(exchangeOf(clientId, code));
  return { ada, clientId, code, back, tokens: body };
}
