import ipaddr from "ipaddr.js";

import { ConnectionError, handshakeError, hostAndPort } from "./connection-error.ts";

/** Maximum bytes of the text by which Cloudflare names the code of an error. */
const MAX_TEXT_BYTES = 32;

/**
 * The error that a response stands for. Where a local runtime's `fetch` rejects, Cloudflare's network responds: 530 with the
 * code 1016 for a name that does not resolve, 403 with 1003 for an IP address, and 521 to 526 for an origin that refuses
 * or is silent. Undefined: it is a response of the target.
 */
export async function edgeError(
  response: Response,
  target: string,
): Promise<ConnectionError | undefined> {
  const url = new URL(target);
  if (!mayBeOfEdge(response, url)) return undefined;
  const code = await codeIn(response);
  return code === undefined ? undefined : ERRORS[`${response.status} ${code}`]?.(url);
}

/**
 * Whether a response may be one of Cloudflare's network itself. A target behind Cloudflare has responses of that kind,
 * too, but with a ray of its own or an HTML page.
 */
function mayBeOfEdge(response: Response, { hostname }: URL): boolean {
  const { status, headers } = response;
  if (!isShortText(response)) return false;
  if (status === 403) return ipaddr.isValid(hostname.replace(/^\[|\]$/g, ""));
  return status === 530 || (isOfOrigin(status) && !headers.has("cf-ray"));
}

function isShortText({ headers, body }: Response): boolean {
  if (body === null || !headers.get("content-type")?.startsWith("text/plain")) return false;
  return Number(headers.get("content-length") ?? 0) <= MAX_TEXT_BYTES;
}

function isOfOrigin(status: number): boolean {
  return status >= 521 && status <= 526;
}

async function codeIn(response: Response): Promise<number | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.clone().body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_TEXT_BYTES) return undefined;
  }
  const code = /^error code: (\d{3,4})\s*$/.exec(text)?.[1];
  return code === undefined ? undefined : Number(code);
}

/** The errors by status and code. */
const ERRORS: Record<string, (url: URL) => ConnectionError> = {
  "530 1016": ({ hostname }) =>
    new ConnectionError(`getaddrinfo ENOTFOUND ${hostname}`, "ENOTFOUND"),
  "403 1003": (url) => unconnected("EACCES", url),
  "521 521": (url) => unconnected("ECONNREFUSED", url),
  "522 522": (url) => unconnected("ETIMEDOUT", url),
  "523 523": (url) => unconnected("EHOSTUNREACH", url),
  "524 524": (url) => unconnected("ETIMEDOUT", url),
  "525 525": (url) => handshakeError(hostAndPort(url).host),
  "526 526": (url) => handshakeError(hostAndPort(url).host),
};

function unconnected(code: string, url: URL): ConnectionError {
  return new ConnectionError(`connect ${code} ${hostAndPort(url).host}`, code);
}
