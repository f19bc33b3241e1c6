import { connect } from "cloudflare:sockets";

import { withTimeout } from "#domain/timeout.ts";

/** Timeout of the connection attempt after a failed request. */
const PROBE_TIMEOUT_MS = 2000;

const DEFAULT_PORTS: Record<string, string> = { "http:": "80", "https:": "443" };

/** An error with Node's message and code for a failed connection. */
class ConnectionFailure extends Error {
  readonly code: string;

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * Convert a failed request's error to that of Node, by which clients decide on retries. The runtime only reports a lost
 * connection or an internal error, so a plain connection is attempted. Other errors are returned unchanged.
 */
export async function connectionFailure(error: unknown, target: string): Promise<unknown> {
  if (!isOfRuntime(error)) return error;
  const { hostname, port, protocol } = new URL(target);
  const portNumber = Number(port || DEFAULT_PORTS[protocol]);
  const isLost = "retryable" in error && error.retryable === true;
  if (await accepts(hostname, portNumber)) {
    if (isLost) return new ConnectionFailure("socket hang up", "ECONNRESET", error);
    return protocol === "https:" ? handshakeFailure(hostname, portNumber, error) : error;
  }
  return isLost
    ? new ConnectionFailure(`connect ECONNREFUSED ${hostname}:${portNumber}`, "ECONNREFUSED", error)
    : new ConnectionFailure(`getaddrinfo ENOTFOUND ${hostname}`, "ENOTFOUND", error);
}

/** The runtime does not tell Node's cases apart, so the code is one of the platform. */
function handshakeFailure(hostname: string, port: number, cause: unknown): ConnectionFailure {
  const why = "its certificate is not valid for it, or the port has no TLS";
  const message = `TLS handshake failed with ${hostname}:${port}: ${why}`;
  return new ConnectionFailure(message, "ERR_TLS_HANDSHAKE_FAILED", cause);
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
