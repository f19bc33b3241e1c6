import { type AgentClient, clientIn, isDocumentUrl } from "#domain/agent-tokens.ts";
import { type ForeignResponse, readAtMost, UNCOMPRESSED } from "#domain/body.ts";
import { errorMessage, invalidInput } from "#domain/errors.ts";
import type { OwnerId } from "#domain/ids.ts";
import { fromJson, type Json } from "#domain/json.ts";

import type { AppContext } from "../context.ts";

/** The prefix of the ids of registered clients. */
const CLIENT_PREFIX = "wsc_";

const PLACE = ["agent_client"];

/** The limits of fetching a client's document. */
const MAX_DOCUMENT_BYTES = 64 * 1024;
const DOCUMENT_MS = 10_000;

/**
 * Register a client (RFC 7591). Its id contains its metadata, encrypted: anybody may register, and nothing is stored.
 * Such an id is valid until the master key that sealed it is retired.
 */
export async function registerAgentClient(
  ctx: Pick<AppContext, "vault">,
  metadata: Json,
): Promise<AgentClient> {
  const client = clientIn(metadata);
  if ("problem" in client) throw invalidInput([{ path: "client", message: client.problem }]);
  const { name: client_name, redirectUris: redirect_uris } = client;
  const sealed = await ctx.vault.seal(JSON.stringify({ client_name, redirect_uris }), PLACE);
  return { id: CLIENT_PREFIX + sealed, ...client };
}

/**
 * The client of an id: a registered client, or the URL of its metadata document, which is fetched on behalf of `owner`
 * (draft-ietf-oauth-client-id-metadata-document). Otherwise the error.
 */
export async function agentClient(
  ctx: Pick<AppContext, "allowPrivateTargets" | "egress" | "vault">,
  owner: OwnerId,
  id: string,
): Promise<AgentClient | { problem: string }> {
  if (id.startsWith(CLIENT_PREFIX)) return registeredClient(ctx, id);
  if (isDocumentUrl(id, ctx.allowPrivateTargets)) return documentedClient(ctx, owner, id);
  return { problem: "client_id: is neither registered nor the https URL of a metadata document" };
}

async function registeredClient(
  { vault }: Pick<AppContext, "vault">,
  id: string,
): Promise<AgentClient | { problem: string }> {
  try {
    const text = await vault.open(id.slice(CLIENT_PREFIX.length), PLACE);
    const client = clientIn(fromJson(text));
    return "problem" in client ? client : { id, ...client };
  } catch {
    return { problem: "client_id: is no longer valid: register again" };
  }
}

async function documentedClient(
  { egress }: Pick<AppContext, "egress">,
  owner: OwnerId,
  id: string,
): Promise<AgentClient | { problem: string }> {
  try {
    const cause = { hops: 0, depth: 0, budget: 0 };
    const response: ForeignResponse = await egress(owner, cause).fetch(id, {
      redirect: "manual",
      headers: { ...UNCOMPRESSED, accept: "application/json" },
      signal: AbortSignal.timeout(DOCUMENT_MS),
    });
    if (response.status !== 200)
      return { problem: `client_id: its document responded with ${response.status}` };
    const bytes = await readAtMost(response, MAX_DOCUMENT_BYTES);
    if (!bytes) {
      await response.body?.cancel();
      return { problem: "client_id: its document is too large" };
    }
    return clientOfDocument(id, fromJson(new TextDecoder().decode(bytes)));
  } catch (error) {
    return { problem: `client_id: its document could not be read: ${errorMessage(error)}` };
  }
}

function clientOfDocument(id: string, document: Json): AgentClient | { problem: string } {
  const client = clientIn(document);
  if ("problem" in client) return { problem: `client_id: in its document, ${client.problem}` };
  const { client_id: named } = Object(document);
  return named === id ? { id, ...client } : { problem: "client_id: its document names another" };
}
