import { isJsonObject, type Json } from "./json.ts";

/** The prefixes of agents' tokens and keys. */
export const AGENT_TOKEN_PREFIX = "wsag_";

/** Lifetimes in seconds. A refresh token is exchanged for a new one each time. */
export const TOKEN_SECONDS = { code: 60, access: 3600, refresh: 30 * 24 * 3600 } as const;

/** The values that the exchange of an authorization code must match. */
export type CodeTerms = { redirectUri: string; codeChallenge: string };

/** A client by its own metadata: only the URL of its document is verified. */
export type AgentClient = { id: string; name: string; redirectUris: string[] };

const MAX_REDIRECT_URIS = 10;
const MAX_URI_LENGTH = 2000;
const MAX_NAME = 100;

/** Schemes that no browser may be redirected to: they execute, or show content of the sender's choice. */
const REFUSED_SCHEMES = new Set([
  "about:",
  "blob:",
  "data:",
  "file:",
  "filesystem:",
  "ftp:",
  "intent:",
  "javascript:",
  "vbscript:",
  "view-source:",
  "ws:",
  "wss:",
]);

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** The metadata of a client, or the field that is invalid. */
export function clientIn(
  metadata: Json,
): Pick<AgentClient, "name" | "redirectUris"> | { problem: string } {
  if (!isJsonObject(metadata)) return { problem: "the metadata must be an object" };
  const { client_name: name = "", redirect_uris: uris } = metadata;
  if (typeof name !== "string") return { problem: "client_name: must be a string" };
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS)
    return { problem: `redirect_uris: must be a list of 1 to ${MAX_REDIRECT_URIS}` };
  const redirectUris = uris.filter((uri) => typeof uri === "string");
  const wrong = uris.find((uri) => typeof uri !== "string" || !isRedirectUri(uri));
  if (wrong !== undefined)
    return {
      problem: `redirect_uris: ${JSON.stringify(wrong)} is not an https, loopback or app URI`,
    };
  return { name: plainName(name), redirectUris };
}

/** Whether a browser may be redirected to a URI: https, http of the same machine, or an app's own scheme. */
export function isRedirectUri(uri: string): boolean {
  if (uri.length > MAX_URI_LENGTH || !URL.canParse(uri)) return false;
  const { protocol, hostname, hash, username, password } = new URL(uri);
  if (hash + username + password !== "") return false;
  if (protocol === "http:") return LOOPBACK.has(hostname);
  return !REFUSED_SCHEMES.has(protocol);
}

/** Whether a client named this URI; for a program on the user's machine, the port may differ (RFC 8252, 7.3). */
export function isOfClient({ redirectUris }: AgentClient, uri: string): boolean {
  return redirectUris.some((named) => named === uri || isSameLoopback(named, uri));
}

function isSameLoopback(named: string, uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const [one, other] = [new URL(named), new URL(uri)];
  if (one.protocol !== "http:" || !LOOPBACK.has(one.hostname)) return false;
  one.port = "";
  other.port = "";
  return one.href === other.href && isRedirectUri(uri);
}

/**
 * Whether a client id is the URL of a metadata document: https, with a path, and without parts that hide its target. On
 * a laptop also http of the same machine.
 */
export function isDocumentUrl(id: string, mayBeLocal = false): boolean {
  if (id.length > MAX_URI_LENGTH || !URL.canParse(id)) return false;
  const url = new URL(id);
  const mayServe = url.protocol === "https:" || (mayBeLocal && isLoopback(url));
  return mayServe && url.pathname !== "/" && isPlain(url, id);
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && LOOPBACK.has(hostname);
}

/** Whether a URL is already normalized, without credentials and a fragment. */
function isPlain({ href, hash, username, password }: URL, text: string): boolean {
  return href === text && hash + username + password === "";
}

/** A name without characters that disguise it: control characters, and those that change the direction of text. */
function plainName(name: string): string {
  return name
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, "")
    .trim()
    .slice(0, MAX_NAME);
}
