import { connect } from "cloudflare:sockets";

import { withTimeout } from "#domain/timeout.ts";

/** Timeout of the connection attempt after a failed request. */
const PROBE_TIMEOUT_MS = 2000;

/** The code of a failed handshake. The runtime does not tell Node's cases apart. */
const TLS_FAILED = "ERR_TLS_HANDSHAKE_FAILED";

function tlsFailure(hostname: string, port: number): string {
  return `TLS handshake failed with ${hostname}:${port}: its certificate is not valid for it, or the port has no TLS`;
}

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
  const portNumber = Number(port || (protocol === "https:" ? "443" : "80"));
  const isLost = "retryable" in error && error.retryable === true;
  if (await accepts(hostname, portNumber)) {
    if (isLost) return new ConnectionFailure("socket hang up", "ECONNRESET", error);
    // The runtime does not tell why.
    return protocol === "https:"
      ? new ConnectionFailure(tlsFailure(hostname, portNumber), TLS_FAILED, error)
      : error;
  }
  return isLost
    ? new ConnectionFailure(`connect ECONNREFUSED ${hostname}:${portNumber}`, "ECONNREFUSED", error)
    : new ConnectionFailure(`getaddrinfo ENOTFOUND ${hostname}`, "ENOTFOUND", error);
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
