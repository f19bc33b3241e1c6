import type { Context } from "hono";

import { type Grants, grantsIn, MAX_SCOPE_LENGTH } from "#domain/agent-grants.ts";
import { type AgentClient, isOfClient } from "#domain/agent-tokens.ts";

import type { AppEnv } from "../env.ts";
import type { Carried } from "./oauth-views.ts";
import { isResource } from "./oauth.ts";

/** The parameters of an authorization request that pages pass on. */
const PARAMETERS = [
  "client_id",
  "redirect_uri",
  "response_type",
  "code_challenge",
  "code_challenge_method",
  "scope",
  "state",
  "resource",
  "connect_token",
] as const;

const MAX_PARAMETER = 8000;

/** An unverified authorization request, which names its client. */
export type AuthorizationRequest = {
  carried: Carried;
  clientId: string;
  redirectUri: string;
};

/** The parameters of an authorization request; a problem if one is too long. */
export function requestIn(fields: URLSearchParams): AuthorizationRequest | { problem: string } {
  const given = PARAMETERS.flatMap((name) => {
    const value = fields.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const long = given.find(([, value]) => value.length > MAX_PARAMETER);
  if (long) return { problem: `${long[0]}: is too long` };
  const carried: Carried = Object.fromEntries(given);
  const { client_id: clientId = "", redirect_uri: redirectUri = "" } = carried;
  if (clientId === "") return { problem: "client_id: is required" };
  if (redirectUri === "") return { problem: "redirect_uri: is required" };
  return { carried, clientId, redirectUri };
}

/** The reason to reject a client, returned to it. */
type ClientError = { error: string; description: string };

/** The request of a client, after the check of its redirect URI. */
export function parseRequest(
  c: Context<AppEnv>,
  { carried }: AuthorizationRequest,
): { grants: Grants; codeChallenge: string } | ClientError {
  const { scope = "read", code_challenge: codeChallenge = "", resource } = carried;
  const { response_type: response, code_challenge_method: method } = carried;
  if (response !== "code") return REFUSED.response;
  if (!isChallenge(codeChallenge, method)) return REFUSED.challenge;
  if (resource !== undefined && !isResource(c, resource)) return REFUSED.resource;
  const grants = grantsIn(scope.slice(0, MAX_SCOPE_LENGTH));
  return grants ? { grants, codeChallenge } : REFUSED.scope;
}

const REFUSED = {
  response: {
    error: "unsupported_response_type",
    description: "response_type: must be code",
  },
  challenge: {
    error: "invalid_request",
    description: "code_challenge: is required, by the method S256",
  },
  resource: { error: "invalid_target", description: "resource: must be this MCP endpoint" },
  scope: {
    error: "invalid_scope",
    description: "scope: must name read, act or subscribe, and may name app:… and account:…",
  },
} satisfies Record<string, ClientError>;

function isChallenge(challenge: string, method: string | undefined): boolean {
  return method === "S256" && /^[\w-]{43}$/.test(challenge);
}

/** The reason why a browser is not sent to a redirect URI; undefined: the client registered it. */
export function problemOfRedirect(client: AgentClient, uri: string): string | undefined {
  return isOfClient(client, uri) ? undefined : "redirect_uri: is not registered by the client";
}

/** The URL of the redirect to the client, with the response (RFC 6749, 4.1.2; RFC 9207). */
export function answerUrl(
  { carried, redirectUri }: AuthorizationRequest,
  issuer: string,
  answer: Record<string, string>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  const { state } = carried;
  if (state !== undefined) url.searchParams.set("state", state);
  url.searchParams.set("iss", issuer);
  return url.href;
}
