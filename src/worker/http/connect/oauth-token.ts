import { createMiddleware } from "hono/factory";

import { readInTime } from "#domain/body.ts";
import { issueAccessToken } from "#services/connect/oauth-clients.ts";

import { withinGuesses } from "../attempts.ts";
import type { AppEnv } from "../env.ts";

const MAX_BYTES = 64 * 1024;

/** The error of a token request, as RFC 6749 (5.2) names it. */
type Refusal = { error: string; error_description: string };

type Credentials = { clientId: string; clientSecret: string; scope: string | undefined };

/**
 * Issue an access token for client credentials (RFC 6749, 4.4). Accepts JSON or a form; the client's id and secret may
 * be in an Authorization header.
 */
export const oauthToken = createMiddleware<AppEnv>(async (c) => {
  c.header("cache-control", "no-store");
  const request = await credentialsIn(c.req.raw);
  if ("error" in request) return c.json(request, 400);
  const issued = await withinGuesses(c, "client_secret", () =>
    issueAccessToken(c.var.platform, request),
  );
  if (!issued) return c.json(INVALID_CLIENT, 401);
  if ("error" in issued) return c.json(INVALID_SCOPE, 400);
  const { token, expiresIn, scope } = issued;
  const created_at = c.var.platform.now();
  return c.json({
    access_token: token,
    token_type: "Bearer",
    expires_in: expiresIn,
    scope,
    created_at,
  });
});

const INVALID_CLIENT = refusal(
  "invalid_client",
  "The client does not exist, or its secret is wrong",
);
const INVALID_SCOPE = refusal("invalid_scope", "scope: contains an unknown scope");

async function credentialsIn(request: Request): Promise<Credentials | Refusal> {
  const bytes = await readInTime(request, MAX_BYTES);
  if (!bytes || bytes === "late")
    return refusal("invalid_request", "The body must have at most 64 KB, and arrive in 30 seconds");
  const fields = fieldsOf(new TextDecoder().decode(bytes));
  const grant = fields.get("grant_type");
  if (grant === undefined) return refusal("invalid_request", "grant_type: is required");
  if (grant !== "client_credentials")
    return refusal("unsupported_grant_type", "grant_type: must be client_credentials");
  return clientIn(fields, basicOf(request.headers.get("authorization") ?? ""));
}

function clientIn(fields: Map<string, string>, [id, secret]: [string?, string?]) {
  const clientId = fields.get("client_id") ?? id;
  const clientSecret = fields.get("client_secret") ?? secret;
  if (clientId === undefined || clientSecret === undefined)
    return refusal("invalid_request", "client_id and client_secret: are required");
  return { clientId, clientSecret, scope: fields.get("scope") || undefined };
}

function refusal(error: string, error_description: string): Refusal {
  return { error, error_description };
}

function fieldsOf(text: string): Map<string, string> {
  try {
    const parsed: unknown = JSON.parse(text);
    const entries = Object.entries(typeof parsed === "object" && parsed !== null ? parsed : {});
    return new Map(
      entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  } catch {
    return new Map(new URLSearchParams(text));
  }
}

function basicOf(header: string): [string?, string?] {
  const [, encoded] = /^Basic +(\S+) *$/i.exec(header) ?? [];
  if (encoded === undefined) return [];
  try {
    const [, id = "", secret = ""] = /^([^:]*):(.*)$/s.exec(atob(encoded)) ?? [];
    return [decodeURIComponent(id), decodeURIComponent(secret)];
  } catch {
    return [];
  }
}
