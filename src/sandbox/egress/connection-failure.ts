import { connect } from "cloudflare:sockets";

import { withTimeout } from "#domain/timeout.ts";

import { ConnectionError, handshakeError, hostAndPort } from "./connection-error.ts";

/** Timeout of the connection attempt after a failed request. */
const PROBE_TIMEOUT_MS = 2000;

/**
 * Convert a failed request's error to that of Node, by which clients decide on retries. The runtime only reports a lost
 * connection or an internal error, so a plain connection is attempted in a local run: Cloudflare refuses those to its own
 * addresses, and rejects no request but to them. Other errors are returned unchanged.
 */
export async function connectionFailure(
  error: unknown,
  target: string,
  isLocal: boolean,
): Promise<unknown> {
  if (!isOfRuntime(error)) return error;
  const url = new URL(target);
  const { host, port } = hostAndPort(url);
  const isLost = "retryable" in error && error.retryable === true;
  const isOpen = isLocal ? await accepts(url.hostname, port) : undefined;
  if (isOpen === false) return isLost ? refusedBy(host, error) : unresolved(url.hostname, error);
  if (isLost) return new ConnectionError("socket hang up", "ECONNRESET", error);
  return mayBeHandshake(url, isOpen) ? handshakeError(host, error) : error;
}

/** Whether a request failed although its port accepts connections, as after a failed TLS handshake. */
function mayBeHandshake({ protocol }: URL, isOpen: boolean | undefined): boolean {
  return isOpen === true && protocol === "https:";
}

function refusedBy(host: string, cause: unknown): ConnectionError {
  return new ConnectionError(`connect ECONNREFUSED ${host}`, "ECONNREFUSED", cause);
}

function unresolved(hostname: string, cause: unknown): ConnectionError {
  return new ConnectionError(`getaddrinfo ENOTFOUND ${hostname}`, "ENOTFOUND", cause);
}

/** Whether it is an error of the runtime: no other error has these messages. */
function isOfRuntime(error: unknown): error is Error {
  return (
    error instanceof Error && /^(?:Network connection lost|internal error)/.test(error.message)
  );
}

async function accepts(hostname: string, port: number): Promise<boolean> {
  const socket = connect({ hostname, port });
  try {
    const opened = socket.opened.then(() => true);
    return await withTimeout(opened, PROBE_TIMEOUT_MS, () => false);
  } catch {
    return false;
  } finally {
    socket.close().catch(() => {});
  }
}
