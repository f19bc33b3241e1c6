import { connect } from "cloudflare:sockets";

/** How long a host is asked for a connection after a request to it failed. */
const PROBE_TIMEOUT_MS = 2000;

/** An error with the message and the code that Node gives for a connection that failed. */
class ConnectionFailure extends Error {
  readonly code: string;

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * Name the reason why a request got no response, as Node does: retries are decided by it. The runtime only tells that
 * the connection was lost, or that something failed inside, so the host is asked for a plain connection. What is not
 * about the connection is returned as it is.
 */
export async function connectionFailure(error: unknown, target: string): Promise<unknown> {
  if (!isOfRuntime(error)) return error;
  const { hostname, port, protocol } = new URL(target);
  const portNumber = Number(port || (protocol === "https:" ? "443" : "80"));
  const isLost = "retryable" in error && error.retryable === true;
  if (await accepts(hostname, portNumber))
    return isLost ? new ConnectionFailure("socket hang up", "ECONNRESET", error) : error;
  return isLost
    ? new ConnectionFailure(`connect ECONNREFUSED ${hostname}:${portNumber}`, "ECONNREFUSED", error)
    : new ConnectionFailure(`getaddrinfo ENOTFOUND ${hostname}`, "ENOTFOUND", error);
}

/** Whether the runtime itself says it: nothing else of ours has these words. */
function isOfRuntime(error: unknown): error is Error {
  return (
    error instanceof Error && /^(?:Network connection lost|internal error)/.test(error.message)
  );
}

async function accepts(hostname: string, port: number): Promise<boolean> {
  const socket = connect({ hostname, port });
  try {
    const late = scheduler.wait(PROBE_TIMEOUT_MS).then(() => false);
    return await Promise.race([socket.opened.then(() => true), late]);
  } catch {
    return false;
  } finally {
    socket.close().catch(() => {});
  }
}
