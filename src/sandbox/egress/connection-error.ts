/** An error with Node's message and code for a failed connection, by which clients decide on retries. */
export class ConnectionError extends Error {
  readonly code: string;

  constructor(message: string, code: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The runtime does not tell Node's cases apart, so the code is one of the platform. */
export function handshakeError(host: string, cause?: unknown): ConnectionError {
  const why = "its certificate is not valid for it, or the port has no TLS";
  const message = `TLS handshake failed with ${host}: ${why}`;
  return new ConnectionError(message, "ERR_TLS_HANDSHAKE_FAILED", cause);
}

const DEFAULT_PORTS: Record<string, string> = { "http:": "80", "https:": "443" };

/** The host and the port of a URL, as Node names them in errors. */
export function hostAndPort({ hostname, port, protocol }: URL): { host: string; port: number } {
  const number = Number(port || DEFAULT_PORTS[protocol]);
  return { host: `${hostname}:${number}`, port: number };
}
