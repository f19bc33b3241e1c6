import type { Context } from "hono";
import { cors } from "hono/cors";

import { AGENT_KINDS } from "#domain/agent-grants.ts";
import { readInTime } from "#domain/body.ts";
import { RequestError } from "#domain/errors.ts";
import { fromJson, type Json } from "#domain/json.ts";
import {
  type AgentTokens,
  exchangeCode,
  refreshAgentTokens,
  revokeAgentToken,
} from "#services/agents/authorize.ts";
import { registerAgentClient } from "#services/agents/clients.ts";
import { resourceOf } from "#services/agents/tokens.ts";

import { admitAttempt, withinGuesses } from "../attempts.ts";
import type { AppEnv } from "../env.ts";
import { createRouter } from "../openapi.ts";

const MAX_BYTES = 64 * 1024;

/** The authorization server of the MCP endpoint: its metadata, and its endpoints for clients without a browser. */
export const agentOauth = createRouter();

const anyOrigin = cors({ origin: "*", allowMethods: ["GET", "POST"], maxAge: 24 * 3600 });
for (const path of ["/.well-known/*", "/oauth/register", "/oauth/token", "/oauth/revoke"])
  agentOauth.use(path, anyOrigin);

// Clients try the path with the endpoint first, then the root (RFC 9728, 3.1).
for (const path of ["/mcp", ""])
  agentOauth.get(`/.well-known/oauth-protected-resource${path}`, (c) => {
    const { apiOrigin } = c.var.platform;
    return c.json({
      resource: resourceOf(c.var.platform),
      resource_name: "Wellspring",
      authorization_servers: [apiOrigin],
      scopes_supported: AGENT_KINDS,
      bearer_methods_supported: ["header"],
      resource_documentation: `${apiOrigin}/docs/agents`,
    });
  });

agentOauth.get("/.well-known/oauth-authorization-server", (c) => {
  const { apiOrigin } = c.var.platform;
  return c.json({
    issuer: apiOrigin,
    authorization_endpoint: `${apiOrigin}/oauth/authorize`,
    token_endpoint: `${apiOrigin}/oauth/token`,
    registration_endpoint: `${apiOrigin}/oauth/register`,
    revocation_endpoint: `${apiOrigin}/oauth/revoke`,
    scopes_supported: AGENT_KINDS,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  });
});

agentOauth.post("/oauth/register", async (c) => {
  c.header("cache-control", "no-store");
  await admitAttempt(c, "registration");
  const body = await bodyOf(c);
  if (body === undefined) return c.json(refusal("invalid_client_metadata", TOO_LARGE), 400);
  try {
    const { id, name, redirectUris } = await registerAgentClient(c.var.platform, jsonIn(body));
    return c.json(
      {
        client_id: id,
        client_id_issued_at: c.var.platform.now(),
        client_name: name,
        redirect_uris: redirectUris,
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      },
      201,
    );
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return c.json(refusal("invalid_client_metadata", error.message), 400);
  }
});

agentOauth.post("/oauth/token", async (c) => {
  c.header("cache-control", "no-store");
  const body = await bodyOf(c);
  if (body === undefined) return c.json(refusal("invalid_request", TOO_LARGE), 400);
  const issued = await tokensFor(c, new URLSearchParams(body));
  if ("error" in issued) return c.json(issued, 400);
  return c.json({
    access_token: issued.access,
    token_type: "Bearer",
    expires_in: issued.expiresIn,
    refresh_token: issued.refresh,
    scope: issued.scope,
  });
});

agentOauth.post("/oauth/revoke", async (c) => {
  const body = (await bodyOf(c)) ?? "";
  await revokeAgentToken(c.var.platform, new URLSearchParams(body).get("token") ?? "");
  return c.body(null, 200);
});

type Refusal = { error: string; error_description: string };

const TOO_LARGE = "The body must have at most 64 KB, and arrive in 30 seconds";

async function tokensFor(
  c: Context<AppEnv>,
  fields: URLSearchParams,
): Promise<AgentTokens | Refusal> {
  const field = (name: string) => fields.get(name) ?? "";
  const resource = fields.get("resource");
  if (resource !== null && !isResource(c, resource))
    return refusal("invalid_target", `resource: must be ${resourceOf(c.var.platform)}`);
  const clientId = field("client_id");
  const exchange = exchangeOf(c, { fields, clientId, grant: field("grant_type") });
  if (!exchange)
    return refusal(
      "unsupported_grant_type",
      "grant_type: must be authorization_code or refresh_token",
    );
  const tokens = await withinGuesses(c, "token", exchange);
  return (
    tokens ??
    refusal("invalid_grant", "It is not valid, belongs to another client, or was used before")
  );
}

function exchangeOf(
  c: Context<AppEnv>,
  { fields, clientId, grant }: { fields: URLSearchParams; clientId: string; grant: string },
): (() => Promise<AgentTokens | undefined>) | undefined {
  const field = (name: string) => fields.get(name) ?? "";
  if (grant === "refresh_token")
    return () =>
      refreshAgentTokens(c.var.platform, { refreshToken: field("refresh_token"), clientId });
  if (grant !== "authorization_code") return undefined;
  return () =>
    exchangeCode(c.var.platform, {
      code: field("code"),
      clientId,
      redirectUri: field("redirect_uri"),
      codeVerifier: field("code_verifier"),
    });
}

/** Whether a client names the endpoint, whose query only selects the tools that it shows. */
export function isResource(c: Context<AppEnv>, resource: string): boolean {
  if (!URL.canParse(resource)) return false;
  const { origin, pathname, hash } = new URL(resource);
  return hash === "" && origin + pathname.replace(/\/$/, "") === resourceOf(c.var.platform);
}

async function bodyOf(c: Context<AppEnv>): Promise<string | undefined> {
  const bytes = await readInTime(c.req.raw, MAX_BYTES);
  return bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : undefined;
}

function jsonIn(body: string): Json {
  try {
    return fromJson(body);
  } catch {
    return null;
  }
}

function refusal(error: string, error_description: string): Refusal {
  return { error, error_description };
}
